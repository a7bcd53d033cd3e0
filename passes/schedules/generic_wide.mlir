// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_wide: generic for heads of more than 128 elements. A tile of half the
// keys, since K or V of one tile and O share the registers.
//
// Budget, D = 256, a wave: registers Q 64, K 64 or V 64, S 16, P 8, O 128 of 256,
// K in parts; LDS about 33 KiB; 32 matrix instructions of 32 cycles a tile. In the cycle model
// 1661 cycles a tile of a compute unit.
fmha.schedule @generic_wide = #fmha.schedule<
  tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>,
  v = <read = tr_b16, max_pad_bytes = 64>,
  grid = longest_first,
  pipeline = <stages = [
    <@scores compute
      [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>,
    <@output compute
      [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
