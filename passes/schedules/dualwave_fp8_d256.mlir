// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8_d256: for the largest heads. O leaves too few registers for a pipeline within a wave; so there
// is none: a wave multiplies in one stage, PV of a tile and QK of the next, and has nothing but softmax
// in the other, while the other wave group does the opposite. Fragments of K and V are read one or two
// matrix instructions before they are multiplied, so that 24 registers are enough for them, and P takes the place
// of its scores. Four buffers give copies a tile's time on their way; LDS has room for them. A round has one tile,
// and the buffer of a tile is its number mod 4.
//
// The last matrix instruction of QK stands after the barrier: the other group's first ones wait for no unit
// that idles. The first fragments of V are read before the barrier. Late rescales have no packed instructions,
// which would wait until the other group has multiplied.
//
// Budget, D = 256, a wave: registers Q 32, O 128, what products start from 16, scores 32, fragments
// 24, of 256; LDS 133120 bytes; 16 matrix instructions of 64 cycles a tile, 2048 cycles for the two waves of
// a SIMD. Beside them they have to issue 1704: vector instructions sum the weights. The order of loads was found by
// hand: 2133 cycles a tile of a compute unit in the cycle model, 16384 keys.
fmha.recipe @dualwave_fp8_d256x256 = #fmha.recipe<
  @products [
    2 x [mfma 1, ds_read 4], [mfma 1, vmem 2, ds_read 4], 3 x [mfma 1, ds_read 4],
    [mfma 1, ds_read 2, mfma 1, vmem 2, ds_read 2], 6 x [mfma 1, ds_read 2], [mfma 1]]>
fmha.schedule @dualwave_fp8_d256 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 4>,
  v = <read = column, max_pad_bytes = 64, buffers = 4>,
  scale = start, rescale = lazy, lazy_log2 = 2, packed = off, grid = longest_first,
  pipeline = <stagger = 1, instructions = pinned, recipe = @dualwave_fp8_d256x256, stages = [
      <@products memory [unit_k, page_k ahead 4, page_v ahead 3, scale_k ahead 1, scale_v ahead 1,
        read_v[2 to 4 of 8] ahead -1, load_k ahead 3, read_v[4 to 8 of 8] ahead -1, pv ahead -1,
        read_k[0 to 1 of 8], load_v ahead 2, read_k[1 to 8 of 8], qk[0 to 7 of 8]]>,
      <@softmax compute [
        unit_v, qk[7 to 8 of 8], mask, row_max, rescale, subtract, exp, row_sum, convert, read_v[0 to 2 of 8]]>]>>
