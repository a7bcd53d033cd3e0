// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_wide_m64: generic_wide with half the rows, for functions of scores over
// the largest heads: 32 rows of Q and O leave a wave about 45 registers there, and
// soft cap and bias together want more. A wave of 16 rows reads K and V from LDS for
// half the work, so that LDS bounds the loop: twice the clocks of generic_wide where
// that is bound by the matrix unit.
//
// Budget, D = 256, a wave: registers Q 32, K 64 or V 64 in parts, S 8, P 4, O 64 of
// 256; LDS about 33 KiB; 32 matrix instructions of 16 cycles a tile.
fmha.schedule @generic_wide_m64 = @generic_wide with <
  tile_m = 64,
  qk = <m = 16, n = 16, k = 32>,
  pv = <m = 16, n = 16, k = 32>>
