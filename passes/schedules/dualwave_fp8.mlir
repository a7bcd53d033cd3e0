// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8: the stages of dualwave_1tile for elements of 8 bits. Matrix instructions of 64
// columns or keys take half the cycles that 16 bits do, so that vector instructions bound the
// loop; a matrix instruction sums the rounded weights, too, where no lse is asked for. A late
// rescale is at most 2^2, since weights are lifted by 2^6.
//
// Budget, D = 128, a wave: registers Q 16, K or V 32, O 64, l 16, scores of one tile 32 and of
// the tile before 32 or its P 8, of 256; LDS 33792 bytes; 9 matrix instructions of 64 cycles a
// tile. Beside them a wave has to issue, of 4 cycles each, 16 for the maximum and about 10 to
// combine it, 32 to bring scores to exponents, 16 conversions, and 16 that subtract the maximum
// of two scores each, which do not run beside a matrix instruction; and 32 exponentials of 8. In
// the cycle model 1754 cycles a tile of a compute unit, 1152 of them matrix instructions. With
// the maximum in the C operand of qk the subtraction would cost nothing.
fmha.schedule @dualwave_fp8 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  packed = softmax, rescale = lazy, lazy_log2 = 2, grid = longest_first,
  sums = <m = 32, n = 32, k = 64>,
  pipeline = <
    stagger = 1, instructions = free,
    stages = [
      <@k_in memory [rescale ahead -1, read_k, load_v] priority 1>,
      <@scores compute [qk, exp[4 to 8 of 8] ahead -1, convert ahead -1] anchor>,
      <@v_in memory [read_v ahead -1, load_k ahead 2, score_mod, mask, row_max] priority 1>,
      <@output compute [pv ahead -1, row_sum ahead -1, subtract, exp[0 to 4 of 8]]>]>>
