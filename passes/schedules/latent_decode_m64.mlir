// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latent_decode_m64: latent_decode for 64 rows. With 256 registers a wave all eight waves of two
// workgroups are on a compute unit, two a SIMD, and each hides what the others wait for. O follows the maximum late, since
// to multiply it takes as long as a quarter of the products.
//
// Budget, 576 and 512, a wave: registers Q 72, O 128, S 8, P 4 of 256, K and V in parts; LDS 73 KiB; 1088
// cycles of matrix instructions of a SIMD for a tile of 32 keys.
fmha.schedule @latent_decode_m64 = @generic_latent with <
  tile_m = 64, waves_per_simd = 2, rows = group, rescale = lazy, lazy_log2 = 8>
