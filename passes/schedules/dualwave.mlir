// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave: two groups of four waves in antiphase, one barrier apart, so that one
// computes while the other moves data. Two buffers each of K and V. The maximum
// is taken, and branches are, while data moves; stages that compute have none.
//
// Budget, D = 128, a wave: registers Q 32, K or V 64, O 64, scores of one tile 32 and
// of the tile before 32 or its P 16, of 256; LDS 66048 bytes; 32 matrix instructions
// of 32 cycles a tile, in whose shadow 48 + 32 vector and 32 transcendental
// instructions of the wave itself and 18 of its neighbour have to fit: 24 cycles of
// each that others can issue in, of which they take 4, transcendental ones 8. A
// stage ends with a matrix instruction, for the barrier to run beneath it. The
// recipes were found by search, in the cycle model, which has 2106 cycles a tile of a compute
// unit, 2048 of them matrix instructions.
fmha.recipe @dualwave_d128 = #fmha.recipe<
  @scores [
    [mfma 1,
     trans 2 2 2 2 3 1 0 0 0 0 0 0 0 0 0 0,
     valu 0 0 1 1 0 1 5 4 6 6 5 5 4 4 6 0]],
  @v_in [[ds_read 3, valu 2, ds_read 3 3 3 11, valu 1 1 1 0]],
  @output [
    [mfma 1, trans 0 0 0 0 0 0 0 0 2, valu 5 4 5 3 4 3 4 3 1],
    6 x [mfma 1, trans 3], [mfma 1]]>
fmha.schedule @dualwave = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>,
  pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = lazy, lazy_log2 = 8, grid = longest_first,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, recipe = @dualwave_d128, stages = [
    <@k_in memory [page_k ahead 2, page_v ahead 1, rescale ahead -1, read_k, load_v]>,
    <@scores compute
      [qk, exp[5 to 8 of 8] ahead -1, row_sum ahead -1, convert ahead -1] anchor>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, score_mod, mask, row_max]>,
    <@output compute [pv ahead -1, subtract, exp[0 to 5 of 8]] anchor>]>>
