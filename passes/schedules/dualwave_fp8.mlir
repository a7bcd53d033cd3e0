// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8: the stages of dualwave_1tile for elements of 8 bits. Matrix instructions of 64
// columns or keys take half the cycles that 16 bits do, so that vector instructions bound the
// loop; a matrix instruction sums the rounded weights, too, where no lse is asked for. A late
// rescale is at most 2^2, since weights are lifted by 2^6.
//
// The product of Q and K starts from minus the maximum, so that scores come out relative to it: one fma
// with the factor and the lift, and no product of the maximum that is rounded. Functions of scores
// want scores as they are: not here.
//
// Budget, D = 128, a wave: registers Q 16, K or V 32, O 64, l 16, what products start from 16,
// scores of one tile 32 and of the tile before 32 or its P 8, of 256; LDS 33792 bytes; 9 matrix
// instructions of 64 cycles a tile. Beside them a wave has to issue, of 4 cycles each, 16 for the maximum
// and about 10 to combine it, 32 to bring scores to exponents and 16 conversions, and 32
// exponentials of 8: 552 cycles; with 8 after each matrix instruction 624, for the two waves of a
// SIMD 1248 beside 1152 of matrix instructions. In the cycle model 1548 cycles a tile of a compute
// unit.
fmha.recipe @dualwave_fp8_d128 = #fmha.recipe<
  @output [[mfma 1, valu 7 2 8 9 6, trans 7 0 5 0 4]]>
fmha.schedule @dualwave_fp8 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  scale = start, rescale = lazy, lazy_log2 = 2, grid = longest_first,
  sums = <m = 32, n = 32, k = 64>,
  pipeline = <
    stagger = 1, instructions = pinned, recipe = @dualwave_fp8_d128,
    stages = [
      <@k_in memory [rescale ahead -1, read_k, load_v] priority 1>,
      <@scores compute [qk, exp[4 to 8 of 8] ahead -1, convert ahead -1] anchor>,
      <@v_in memory [read_v ahead -1, load_k ahead 2, mask, row_max] priority 1>,
      <@output compute [pv ahead -1, row_sum ahead -1, subtract, exp[0 to 4 of 8]]>]>>
