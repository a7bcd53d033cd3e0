// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_kv8: the stages of dualwave_1tile for K and V of 8 bits (fp8 or bf8) under a Q of 16. A wave loads
// its eighth of a tile to registers a round before it converts it and writes it to LDS, so that the round
// hides what the load takes; both where it moves data, after its reads. From LDS on it is dualwave_1tile.
//
// Budget, D = 128, a wave: registers as dualwave, and 4 each for what was loaded of K and V, of 256; LDS 68096
// bytes; 32 matrix instructions of 32 cycles a tile. A wave has 4 loads of 8 bytes a lane, 16 conversions of two
// elements and 4 writes of 16 bytes more than it has copies in dualwave_1tile: of the two waves of a SIMD 128
// cycles of vector instructions, 256 if a conversion took 8; LDS takes 256 cycles more for a tile. In the cycle
// model 2287 cycles a tile of a compute unit: 2048 of matrix instructions, 124 in which vector instructions hold them
// up, 64 at barriers, 60 for want of issue; dualwave_1tile has 2085.
fmha.recipe @dualwave_kv8_d128 = #fmha.recipe<
  @k_in [[ds_read 16, valu 8]],
  @scores [
    [mfma 1,
     valu 1 0 0 0 0 0 4 4 6 6 6 4 5 4 6 0,
     trans 2 2 2 2 3 1 0 0 0 0 0 0 0 0 0 0,
     valu 0 0 0 1 0 1 0 0 0 0 0 0 0 0 0 0]],
  @v_in [[ds_read 3, valu 2, ds_read 3 3 3 11, valu 1 1 1 0]],
  @output [
    [mfma 1, trans 0 0 0 0 0 0 0 0 2, valu 6 4 4 3 5 3 4 2 1],
    6 x [mfma 1, trans 3], [mfma 1]]>
fmha.schedule @dualwave_kv8 = @dualwave_1tile with <
  pipeline = <recipe = @dualwave_kv8_d128, stages = [
    <@k_in memory [page_k ahead 3, page_v ahead 2, rescale ahead -1, read_k, write_v, load_v ahead 1]>,
    <@scores compute
      [qk, exp[5 to 8 of 8] ahead -1, row_sum ahead -1, convert ahead -1] anchor>,
    <@v_in memory
      [read_v ahead -1, write_k ahead 2, load_k ahead 3, score_mod, mask, row_max]>,
    <@output compute [pv ahead -1, subtract, exp[0 to 5 of 8]] anchor>]>>
