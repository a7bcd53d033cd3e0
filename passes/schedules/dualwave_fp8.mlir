// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8: the stages of dualwave for elements of 8 bits. Matrix instructions of 64
// columns or keys take half the cycles that 16 bits do, so that vector instructions bound the
// loop; a matrix instruction with a sparse A sums the rounded weights, too, where no lse is
// asked for. A late rescale is at most 2^2.8, since weights are lifted by 2^6.
//
// The product of Q and K starts from minus the maximum, so that scores come out relative to it: one fma
// with the factor and the lift, and no product of the maximum that is rounded. Functions of scores
// want scores as they are: not here. That fma is of two scores an instruction, in the stage that
// takes the maximum: packed instructions run where no matrix instruction does, and there the other
// wave group has issued its own.
//
// Budget, D = 128, a wave: registers Q 16, K or V 32, O 64, l 16, what products start from 16,
// scores of one tile 32 and of the tile before 32 or its P 8, of 256; LDS 33792 bytes; a tile takes 8 matrix
// instructions of 64 cycles and one of 32. Beside them a wave has to issue, of 4 cycles each, 16 for the
// maximum and 4 to test it, 16 that bring scores to exponents, of 8 each 16 conversions and 32
// exponentials, and 8 after each matrix instruction: 600 cycles, for the two waves of a
// SIMD 1200 beside 1088 of matrix instructions, of which 128 packed ones do not overlap. The recipes
// were found by search, in the cycle model, with equal scores: 1343 cycles a tile of a compute
// unit; 1407 with those of normal inputs, 16384 keys, whose maxima grow.
fmha.recipe @dualwave_fp8_d128 = #fmha.recipe<
  @k_in [[ds_read 8]],
  @scores [[mfma 1, trans 2 0 1 5, valu 3 0 9 4]],
  @v_in [[ds_read 2 3 7 4, valu 4 3 5 0]],
  @output [[mfma 1, trans 4 6 4 6], [trans 4, mfma 1]]>
fmha.schedule @dualwave_fp8 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  scale = start, rescale = lazy, lazy_log2 = 2, packed = softmax, grid = longest_first,
  sums = <m = 32, n = 32, k = 64>,
  pipeline = <
    tiles = 2, stagger = 1, instructions = pinned, recipe = @dualwave_fp8_d128,
    stages = [
      <@k_in memory [unit_k, unit_v ahead -1, page_k ahead 2, page_v ahead 1, scale_k ahead 1, scale_v ahead 1, rescale ahead -1, read_k, load_v]>,
      <@scores compute [qk, exp[6 to 8 of 8] ahead -1, convert ahead -1] anchor>,
      <@v_in memory [read_v ahead -1, load_k ahead 2, mask, row_max, subtract] priority 2>,
      <@output compute [pv ahead -1, row_sum ahead -1, exp[0 to 6 of 8]] anchor>]>>
