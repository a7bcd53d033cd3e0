// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_latent_fp8: generic_latent for elements of 8 bits. A product of Q and K takes 128
// columns an instruction, at twice the rate of 16 bits; one with V 32 keys, at the same.
//
// Budget, 576 and 512, a wave: registers Q 40, O 128, S 8, P 2 of 512, K and V in parts; LDS
// 41 KiB; 10 + 32 matrix instructions of 32 and 16 cycles a tile.
fmha.schedule @generic_latent_fp8 = @generic_fp8 with <
  tile_m = 64, tile_n = 32, waves_per_simd = 1,
  k = <buffers = 2>, v = <shared = true>,
  qk = <m = 16, n = 16, k = 128>,
  pv = <m = 16, n = 16, k = 32>,
  pipeline = <stages = [
    <@scores [
      load_k ahead 1, load_v, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>,
    <@output [page_k ahead 2, convert, rescale, row_sum, read_v, pv]>]>>
