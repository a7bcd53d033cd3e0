// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic: one tile of K and one of V in LDS, all waves in phase. A tile of V is copied while
// its scores are computed, the next tile of K while O is; each copy is waited for at the end
// of its stage. Pages of the next tile, of K and of V, are looked up together, a stage before
// that of K. Workgroups that share a compute unit hide what is left of each other's latency.
//
// Budget, D = 128, a wave: registers Q 32, K 64 or V 64, S 32, P 16, O 64 of 256;
// LDS about 33 KiB; 32 matrix instructions of 32 cycles a tile = 1024 cycles. In the cycle
// model 1636 cycles a tile of a compute unit with two workgroups; at D = 64, where four fit,
// 912, of which 512 are matrix instructions.
fmha.schedule @generic = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>,
  v = <read = column, max_pad_bytes = 64>,
  grid = longest_first,
  pipeline = <stages = [
    <@scores compute [
      load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp,
      write_v]>,
    <@output compute
      [load_k ahead 1, convert, rescale, row_sum, read_v, pv, write_k ahead 1]>]>>
