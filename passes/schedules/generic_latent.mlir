// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generic_latent: generic for the heads of latent attention, Dqk of up to 576 and Dv of up to
// 512. Sixteen rows a wave: Q and O of a row take 72 and 128 registers of a lane.
//
// V that lies in K is read from K's buffers. The next tile of K is copied while this one's scores
// are computed, and waited for at the end of the round: in the cycle model 2738 cycles a tile of a
// compute unit, 3611 when it is copied while O is.
//
// Budget, 576 and 512, a wave: registers Q 72, O 128, S 8, P 4 of 512, K and V in parts; LDS
// 73 KiB, with a V of its own 105; 36 + 32 matrix instructions of 16 cycles a tile.
fmha.schedule @generic_latent = @generic with <
  tile_m = 64, tile_n = 32, waves_per_simd = 1,
  k = <buffers = 2>, v = <shared = true>,
  qk = <m = 16, n = 16, k = 32>,
  pv = <m = 16, n = 16, k = 32>,
  pipeline = <stages = [
    <@scores [
      load_k ahead 1, load_v, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp,
      write_v]>,
    <@output [page_k ahead 2, convert, rescale, row_sum, read_v, pv, write_k ahead 1]>]>>
