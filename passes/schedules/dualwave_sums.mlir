// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_sums: dualwave_1tile for narrow heads, where vector instructions bound the loop:
// dot products sum the weights as P has them, two an instruction.
//
// Budget, D = 64, a wave and tile: 16 matrix instructions of 32 cycles, 512 cycles; 83 vector
// instructions of 4 cycles, 32 transcendental ones of 8 and the 8 cycles after each matrix
// instruction, 716: 1432 cycles for the two waves of a SIMD. The recipes were found by
// search, in the cycle model, at D = 64: 1644.
fmha.recipe @dualwave_sums_d64 = #fmha.recipe<
  @scores [
    [mfma 1, trans 4 4 0 0 3 2 0 0, valu 3 0 3 3 0 3 3 1, trans 0 0 3 2 0 0 2 0]],
  @v_in [[ds_read 2 2 3 2 1 3, valu 2 2 3 1 2 1, ds_read 0 0 0 0 0 3]],
  @output [[mfma 1, valu 5 6 5 6 6 7 8 5, trans 0 1 1 1 2 2 3 2]]>
fmha.schedule @dualwave_sums = @dualwave_1tile with <
  v = <without layout>, sums = <m = 1, n = 1, k = 2>,
  pipeline = <recipe = @dualwave_sums_d64, stages = [
    <@scores [qk, exp[6 to 16 of 16] ahead -1, convert ahead -1]>,
    <@output [pv ahead -1, subtract, exp[0 to 6 of 16], row_sum ahead -1]>]>>
