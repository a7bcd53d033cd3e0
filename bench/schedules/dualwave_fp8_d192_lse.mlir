// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not built in: dualwave_fp8_d192_lse, for heads of Q and K up to 192 with LSE, whose sums are of weights as they were before they
// were rounded: vector instructions bound the loop. Wave groups alternate as in dualwave_fp8_d256, in tiles of 128
// keys, whose barriers come half as often. Here QK stands before PV: the maximum is found in the shadow of
// PV, so that softmax begins with exponents, and the last matrix instruction of PV stands behind the
// barrier. Two buffers: a copy has a stage's time, 1600 cycles.
//
// Budget, 192/128, a wave and tile: registers Q 24, O 64, what products start from 16, scores 64, P 16, fragments
// 24 to 32, of 256; LDS 99328 bytes; 20 matrix instructions of 64 cycles, 2560 cycles for the two waves of a SIMD. Beside
// them they have to issue 3160. A bit more than half of the vector instructions is in the stage of softmax,
// so the other stage has priority. In the cycle model 3348 cycles a tile of a
// compute unit, 16384 keys, where dualwave_fp8_d192 takes 3475; 3265 of 5 heads and 65536 keys for 3383. Heads of Q and K of 144 to 192 only: at 128/128 it spills.
fmha.recipe @dualwave_fp8_d192x128_lse = #fmha.recipe<
  @products [
    [ds_read 6, mfma 1, vmem 4, ds_read 2, mfma 1, ds_read 2, mfma 1, vmem 2, ds_read 2],
    6 x [mfma 1, ds_read 2], 4 x [mfma 1, ds_read 4], 4 x [mfma 1, valu 4, ds_read 4], [mfma 1, valu 4]]>
fmha.schedule @dualwave_fp8_d192_lse = #fmha.schedule<
  tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  scale = start, rescale = lazy, lazy_log2 = 2, packed = off, grid = longest_first,
  pipeline = <stagger = 1, instructions = pinned, recipe = @dualwave_fp8_d192x128_lse, stages = [
      <@products memory [
        read_k[0 to 3 of 12], load_k ahead 1, read_k[3 to 5 of 12], load_v, read_k[5 to 12 of 12],
        read_v ahead -1, qk, mask, row_max, pv[0 to 7 of 8] ahead -1] priority 1>,
      <@softmax compute [
        pv[7 to 8 of 8] ahead -1, rescale, subtract, exp, convert, row_sum]>]>>
