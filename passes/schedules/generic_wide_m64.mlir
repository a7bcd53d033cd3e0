// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_wide_m64: generic_wide with half the rows, for functions of scores over
// the largest heads: 32 rows of Q and O leave a wave about 45 registers there, and
// soft cap and bias together want more. A wave of 16 rows reads K and V from LDS for
// half the work, so that LDS bounds the loop: twice the clocks of generic_wide where
// that is bound by the matrix unit.
//
// Budget, D = 256, a wave: registers Q 32, K 64 or V 64 in parts, S 8, P 4, O 64 of
// 256; LDS about 33 KiB; 32 matrix instructions of 16 cycles a tile.
fmha.schedule @generic_wide_m64 = #fmha.schedule<
  tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>,
  pv = <m = 16, n = 16, k = 32>,
  k = <read = b128, max_pad_bytes = 64>,
  v = <read = tr_b16, max_pad_bytes = 64>,
  grid = longest_first,
  pipeline = <stages = [
    <@scores compute
      [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>,
    <@output compute
      [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
