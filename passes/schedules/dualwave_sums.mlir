// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_sums: dualwave_1tile for narrow heads, where vector instructions bound the loop:
// dot products sum the weights as P has them, two an instruction.
//
// Budget, D = 64, a wave and tile: 16 matrix instructions of 32 cycles, 512 cycles; 83 vector
// instructions of 4 cycles, 32 transcendental ones of 8 and the 8 cycles after each matrix
// instruction, 716: 1432 cycles for the two waves of a SIMD. The recipes were found by
// search, in the cycle model, at D = 64: 1644.
fmha.schedule @dualwave_sums = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>,
  v = <read = tr_b16, max_pad_bytes = 64, buffers = 2>,
  rescale = lazy, lazy_log2 = 8, grid = longest_first,
  sums = <m = 1, n = 1, k = 2>,
  pipeline = <tiles = 1, stagger = 1, instructions = pinned, stages = [
    <@k_in memory [rescale ahead -1, read_k, load_v]>,
    <@scores compute
      [qk, exp[6 to 16 of 16] ahead -1, convert ahead -1]
      groups [1 times [mfma 1, trans 4, valu 3], 1 times [mfma 1, trans 4],
              1 times [mfma 1, valu 3, trans 3], 1 times [mfma 1, valu 3, trans 2],
              1 times [mfma 1, trans 3], 1 times [mfma 1, trans 2, valu 3],
              1 times [mfma 1, valu 3, trans 2], 1 times [mfma 1, valu 1]]
      anchor>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, score_mod, mask, row_max]
      groups [2 times [ds_read 2, valu 2], 1 times [ds_read 3, valu 3],
              1 times [ds_read 2, valu 1], 1 times [ds_read 1, valu 2],
              1 times [ds_read 3, valu 1, ds_read 3]]>,
    <@output compute
      [pv ahead -1, subtract, exp[0 to 6 of 16], row_sum ahead -1]
      groups [1 times [mfma 1, valu 5], 1 times [mfma 1, valu 6, trans 1],
              1 times [mfma 1, valu 5, trans 1], 1 times [mfma 1, valu 6, trans 1],
              1 times [mfma 1, valu 6, trans 2], 1 times [mfma 1, valu 7, trans 2],
              1 times [mfma 1, valu 8, trans 3], 1 times [mfma 1, valu 5, trans 2]]
      anchor>]>>
