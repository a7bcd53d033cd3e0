// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8_d192: dualwave_fp8 for heads of Q and K up to 192. There matrix instructions bound the loop, so
// that exponents are one fma a score in their shadow.
//
// Budget, 192/128, a wave: registers Q 24, K 48 or V 32, O 64, l 16, what products start from 16, scores
// of one tile 32 and of the tile before 32 or its P 8, of 256; LDS 41984 bytes; a tile takes 10 matrix
// instructions of 64 cycles and one of 32, 1344 cycles for the two waves of a SIMD, beside which these
// have to issue 1360. The recipes were found by search, in the cycle model, with equal scores: 1494 cycles a
// tile of a compute unit.
fmha.recipe @dualwave_fp8_d192x128 = #fmha.recipe<
  @k_in [[ds_read 12]],
  @scores [[mfma 1, trans 6, mfma 1, valu 7, mfma 2, trans 12, mfma 1, valu 7, mfma 1, trans 2, valu 2]],
  @v_in [[ds_read 2, valu 2, ds_read 1, valu 3, ds_read 5, valu 7, ds_read 6]],
  @output [[mfma 2, valu 22, mfma 1, valu 9, mfma 1, trans 11, valu 1, mfma 1]]>
fmha.schedule @dualwave_fp8_d192 = @dualwave_fp8 with <
  without packed,
  pipeline = <recipe = @dualwave_fp8_d192x128, stages = [
    <@scores [qk, exp[3 to 8 of 8] ahead -1, convert ahead -1]>,
    <@v_in [read_v ahead -1, load_k ahead 2, mask, row_max] priority 2>,
    <@output [pv ahead -1, row_sum ahead -1, subtract, exp[0 to 3 of 8]]>]>>
