// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_narrow: dualwave_sums in tiles of 128 keys, for heads up to 64. What a round costs
// beside its matrix and vector instructions (barriers, waits, the end of the maximum) comes
// half as often; S of such a tile takes the registers that wider heads need for O.
//
// Budget, D = 64, a wave and tile: registers Q 16, K or V 64, S 64, P 32, O 32 of 256; LDS
// 66048 bytes; 32 matrix instructions of 32 cycles, 1024 cycles; vector instructions as
// twice those of dualwave_sums, 2856 cycles for the two waves of a SIMD. The recipes were
// found by search, in the cycle model, at D = 64: 3052.
fmha.schedule @dualwave_narrow = #fmha.schedule<
  tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>,
  v = <read = tr_b16, max_pad_bytes = 64, buffers = 2>,
  rescale = lazy, lazy_log2 = 8, grid = longest_first,
  sums = <m = 1, n = 1, k = 2>,
  pipeline = <tiles = 1, stagger = 1, instructions = pinned, stages = [
    <@k_in memory [rescale ahead -1, read_k, load_v] priority 1>,
    <@scores compute
      [qk, exp[7 to 16 of 16] ahead -1, convert ahead -1]
      groups [1 times [mfma 1, trans 4], 1 times [mfma 1, trans 2, valu 3],
              1 times [mfma 1, trans 2, valu 1], 1 times [mfma 1, valu 6, trans 1],
              1 times [mfma 1, valu 4, trans 1], 1 times [mfma 1, trans 3],
              1 times [mfma 1, valu 2, trans 2], 1 times [mfma 1, trans 3],
              1 times [mfma 1, trans 2, valu 2], 1 times [mfma 1, trans 3],
              1 times [mfma 1, trans 3, valu 5], 1 times [mfma 1, trans 1, valu 4],
              1 times [mfma 1, trans 3, valu 2], 1 times [mfma 1, trans 3],
              1 times [mfma 1, trans 3, valu 1], 1 times [mfma 1, valu 2]]
      anchor>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, score_mod, mask, row_max]
      groups [1 times [ds_read 2, valu 5], 1 times [ds_read 4, valu 3],
              1 times [valu 5, ds_read 3], 1 times [valu 2],
              1 times [ds_read 2, valu 2], 1 times [valu 5, ds_read 21]]>,
    <@output compute
      [pv ahead -1, subtract, exp[0 to 7 of 16], row_sum ahead -1]
      groups [1 times [mfma 1, valu 6, trans 1], 2 times [mfma 1, valu 6],
              1 times [mfma 1, valu 8], 1 times [mfma 1, valu 6, trans 3],
              1 times [mfma 1, valu 4, trans 1], 1 times [mfma 1, valu 4, trans 5],
              1 times [mfma 1, valu 4, trans 2], 1 times [mfma 1, valu 9],
              1 times [mfma 1, valu 7, trans 2], 1 times [mfma 1, valu 5, trans 2],
              1 times [mfma 1, valu 6, trans 3], 1 times [mfma 1, valu 6, trans 2],
              1 times [mfma 1, valu 7, trans 3], 1 times [mfma 1, valu 7, trans 2],
              1 times [mfma 1, valu 5, trans 2]]
      anchor>]>>
