// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_latent: generic for the heads of latent attention, Dqk of up to 576 and Dv of up to
// 512. Sixteen rows a wave: Q and O of a row take 72 and 128 registers of a lane.
//
// Budget, 576 and 512, a wave: registers Q 72, O 128, S 8, P 4 of 256, K and V in parts; LDS
// 70 KiB; 36 + 32 matrix instructions of 16 cycles a tile.
fmha.schedule @generic_latent = @generic with <
  tile_m = 64, tile_n = 32, waves_per_simd = 1, k = <buffers = 2>, v = <shared = true>,
  qk = <m = 16, n = 16, k = 32>,
  pv = <m = 16, n = 16, k = 32>>
