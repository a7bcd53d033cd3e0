// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_fp8_n32: generic_fp8 in tiles of 32 keys, for functions of scores with a bias over the
// largest heads: Q and O leave a wave 64 registers there, of which scores and the bias of 64 keys
// each take 32. Its product with V is of 16 keys an
// instruction, at half the rate of 64.
//
// Budget, D = 256, a wave: registers Q 64, K 32 or V 32, S 16, P 4, O 128 of 256; LDS about 17 KiB;
// 4 + 16 matrix instructions of 64 and 32 cycles a tile.
fmha.schedule @generic_fp8_n32 = @generic_fp8 with <
  tile_n = 32,
  pv = <m = 32, n = 32, k = 16>>
