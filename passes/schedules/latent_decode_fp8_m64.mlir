// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latent_decode_fp8_m64: latent_decode_fp8 for 64 rows, 32 a wave: products with V have twice the rate
// then, too, and a tile is read from LDS half as often.
//
// Budget, 576 and 512, a wave: registers Q 72, O 256, S 32, P 8 of 512, K and V in parts; LDS 73 KiB;
// 18 + 16 matrix instructions of 64 cycles a tile of 64 keys. A late rescale has its O in other registers
// in its branch than beside it: it does not fit.
fmha.schedule @latent_decode_fp8_m64 = @generic_latent_fp8 with <
  tile_m = 64, tile_n = 64, waves = 2, rows = group,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>>
