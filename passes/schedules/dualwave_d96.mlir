// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_d96: dualwave_1tile for heads of 72 to 96. Both products have 12 matrix
// instructions a tile there instead of 16, so that each stands before more of what else
// there is to issue.
//
// Budget, D = 96, a wave: registers Q 24, K or V 48, O 48, scores of one tile 32 and of the
// tile before 32 or its P 16, of 256; LDS 66048 bytes; 24 matrix instructions of 32 cycles a
// tile, 1536 cycles for the two waves of a SIMD. The recipes were written by hand: the
// instructions of a step divided evenly among its matrix instructions; no search found
// better ones in the cycle model, which has 1888 cycles a tile (dualwave_1tile 1972).
fmha.schedule @dualwave_d96 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>,
  v = <read = tr_b16, max_pad_bytes = 64, buffers = 2>,
  rescale = lazy, lazy_log2 = 8, grid = longest_first,
  pipeline = <tiles = 1, stagger = 1, instructions = pinned, stages = [
    <@k_in memory [rescale ahead -1, read_k, load_v]>,
    <@scores compute
      [qk, exp[5 to 8 of 8] ahead -1, row_sum ahead -1, convert ahead -1]
      groups [4 times [mfma 1, trans 3],
              8 times [mfma 1, valu 6]]
      anchor>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, score_mod, mask, row_max]
      groups [3 times [ds_read 3, valu 2, ds_read 3, valu 1],
              1 times [ds_read 3, valu 2, ds_read 3]]>,
    <@output compute
      [pv ahead -1, subtract, exp[0 to 5 of 8]]
      groups [5 times [mfma 1, valu 6], 1 times [mfma 1, valu 2, trans 1],
              6 times [mfma 1, trans 3]]
      anchor>]>>
