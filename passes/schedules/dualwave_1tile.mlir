// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_1tile: the stages of dualwave in a body of one tile. Which of its two buffers a
// tile lies in is computed in every round, a few scalar instructions, so that no tile is
// rounded up to, no epilogue is needed for an odd one, and there is half as much code to
// compile, load and keep in the instruction cache. O and l follow the maximum of a tile
// after PV of the tile before.
//
// Registers and matrix instructions as in dualwave; recipes found by search from its,
// 2152 cycles a tile in the cycle model at D = 128. They were found with padded lines of V,
// LDS 68096 bytes; without the padding it is 2154.
fmha.schedule @dualwave_1tile = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>,
  v = <read = tr_b16, max_pad_bytes = 64, buffers = 2, layout = padded>,
  rescale = lazy, lazy_log2 = 8, grid = longest_first,
  pipeline = <tiles = 1, stagger = 1, instructions = pinned, stages = [
    <@k_in memory [rescale ahead -1, read_k, load_v]>,
    <@scores compute
      [qk, exp[5 to 8 of 8] ahead -1, row_sum ahead -1, convert ahead -1]
      groups [1 times [mfma 1, valu 1, trans 2], 2 times [mfma 1, trans 2],
              1 times [mfma 1, trans 2, valu 1], 1 times [mfma 1, trans 3],
              1 times [mfma 1, trans 1, valu 1], 2 times [mfma 1, valu 4],
              3 times [mfma 1, valu 6], 1 times [mfma 1, valu 4],
              1 times [mfma 1, valu 5], 1 times [mfma 1, valu 4],
              1 times [mfma 1, valu 6], 1 times [mfma 1]]
      anchor>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, score_mod, mask, row_max]
      groups [3 times [ds_read 3, valu 2, ds_read 3, valu 1],
              1 times [ds_read 3, valu 2, ds_read 11]]>,
    <@output compute
      [pv ahead -1, subtract, exp[0 to 5 of 8]]
      groups [1 times [mfma 1, valu 6], 2 times [mfma 1, valu 4],
              1 times [mfma 1, valu 3], 1 times [mfma 1, valu 5],
              1 times [mfma 1, valu 3], 1 times [mfma 1, valu 4],
              1 times [mfma 1, valu 2], 1 times [mfma 1, trans 2, valu 1],
              6 times [mfma 1, trans 3], 1 times [mfma 1]]
      anchor>]>>
