// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_narrow: dualwave_sums in tiles of 128 keys, for heads up to 64. What a round costs
// beside its matrix and vector instructions (barriers, waits, the end of the maximum) comes
// half as often; S of such a tile takes the registers that wider heads need for O.
//
// Budget, D = 64, a wave and tile: registers Q 16, K or V 64, S 64, P 32, O 32 of 256; LDS
// 66048 bytes; 32 matrix instructions of 32 cycles, 1024 cycles; vector instructions as
// twice those of dualwave_sums, 2856 cycles for the two waves of a SIMD. The recipes were
// found by search, in the cycle model, at D = 64: 3052.
fmha.recipe @dualwave_narrow_d64 = #fmha.recipe<
  @scores [
    [mfma 1,
     trans 4 2 2 0 0 3 0 3 2 3 3 1 3 3 3 0,
     valu 0 3 1 6 4 0 2 0 2 0 5 4 2 0 1 2,
     trans 0 0 0 1 1 0 2 0 0 0 0 0 0 0 0 0]],
  @v_in [[ds_read 2 4 0 0 2 0, valu 5 3 5 2 2 5, ds_read 0 0 3 0 0 21]],
  @output [
    [mfma 1,
     valu 6 6 6 8 6 4 4 4 9 7 5 6 6 7 7 5,
     trans 1 0 0 0 3 1 5 2 0 2 2 3 2 3 2 2]]>
fmha.schedule @dualwave_narrow = @dualwave_sums with <
  tile_n = 128,
  pipeline = <recipe = @dualwave_narrow_d64, stages = [
    <@k_in priority 1>,
    <@scores [qk, exp[7 to 16 of 16] ahead -1, convert ahead -1]>,
    <@output [pv ahead -1, subtract, exp[0 to 7 of 16], row_sum ahead -1]>]>>
