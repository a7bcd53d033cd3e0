// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_fp8: generic for elements of 8 bits. A matrix instruction takes 64 columns of a head,
// or 64 keys: a tile of keys is one step of the product with V.
//
// Budget, D = 128, a wave: registers Q 16, K 32 or V 32, S 32, P 8, O 64 of 256; LDS about
// 17 KiB; 8 matrix instructions of 64 cycles a tile = 512 cycles.
fmha.schedule @generic_fp8 = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>,
  v = <read = column, max_pad_bytes = 64>,
  grid = longest_first,
  pipeline = <stages = [
    <@scores compute
      [load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>,
    <@output compute
      [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
