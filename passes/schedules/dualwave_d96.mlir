// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_d96: dualwave_1tile for heads of 72 to 96. Both products have 12 matrix
// instructions a tile there instead of 16, so that each stands before more of what else
// there is to issue.
//
// Budget, D = 96, a wave: registers Q 24, K or V 48, O 48, scores of one tile 32 and of the
// tile before 32 or its P 16, of 256; LDS 66048 bytes; 24 matrix instructions of 32 cycles a
// tile, 1536 cycles for the two waves of a SIMD. The recipes were written by hand: the
// instructions of a step divided evenly among its matrix instructions; no search found
// better ones in the cycle model, which has 1784 cycles a tile (dualwave_1tile 1868).
fmha.recipe @dualwave_1tile_d96 = #fmha.recipe<
  @scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]],
  @v_in [[ds_read 3, valu 2, ds_read 3, valu 1 1 1 0]],
  @output [5 x [mfma 1, valu 6], [mfma 1, valu 2, trans 1], 6 x [mfma 1, trans 3]]>
fmha.schedule @dualwave_d96 = @dualwave_1tile with <
  v = <without layout>,
  pipeline = <recipe = @dualwave_1tile_d96>>
