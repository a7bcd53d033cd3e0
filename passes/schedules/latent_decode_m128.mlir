// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latent_decode_m128: latent_decode for 128 rows, which eight waves of one workgroup have. Matrix
// instructions bound it, not memory: 2176 cycles of a SIMD for a tile of 32 keys.
//
// Budget as that of latent_decode_m64, of one workgroup.
fmha.schedule @latent_decode_m128 = @latent_decode_m64 with <
  tile_m = 128, waves = 8>
