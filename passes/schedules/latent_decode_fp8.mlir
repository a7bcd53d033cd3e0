// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latent_decode_fp8: latent_decode for elements of 8 bits. O follows the maximum late: to multiply it
// takes longer than what memory leaves.
//
// Budget, 576 and 512, a wave: registers Q 40, O 128, S 8, P 2 of 512, K and V in parts; LDS 41 KiB; 10 + 32
// matrix instructions of 32 and 16 cycles a tile of 32 keys, 18 KiB, which take some 1350 cycles from HBM.
fmha.schedule @latent_decode_fp8 = @generic_latent_fp8 with <
  tile_m = 32, waves = 2, rows = group, rescale = lazy, lazy_log2 = 2>
