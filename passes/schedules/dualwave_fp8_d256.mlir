// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_fp8_d256: two wave groups in antiphase as in dualwave_fp8, for the largest heads. O leaves too few
// registers for a tile of K or V beside two tiles of scores: each is read in three parts, a product begins
// with the part that is there, and the softmax of a tile is over before its S has to share registers with the
// next one's. The first parts are the smallest, 16 registers, since the scores of the tile before, or both P, are there, too.
//
// Budget, D = 256, a wave: registers Q 32, parts of K or V 16 to 24, O 128, scores 32, of the next tile 16, P 8,
// of 256; LDS 67584 bytes; 16 matrix instructions of 64 cycles a tile, 2048 cycles for the two waves of a
// SIMD. Beside them they have to issue 1952: the maximum is subtracted by an instruction of its own, as there are
// no registers for a product to start from, and vector instructions sum the weights. In the cycle model
// 3038 cycles a tile of a compute unit: all that issues before the second half of QK.
fmha.schedule @dualwave_fp8_d256 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = lazy, lazy_log2 = 2, grid = longest_first,
  pipeline = <stagger = 1, stages = [
      <@k0_in memory [rescale ahead -1, exp[6 to 7 of 8] ahead -1, read_k[0 to 2 of 8], load_v] priority 1>,
      <@scores0 compute [qk[0 to 2 of 8], exp[7 to 8 of 8] ahead -1, row_sum ahead -1, convert ahead -1] anchor>,
      <@k1_in memory [read_k[2 to 5 of 8]] priority 1>,
      <@scores1 compute [qk[2 to 5 of 8]]>,
      <@k2_in memory [read_k[5 to 8 of 8]] priority 1>,
      <@scores2 compute [qk[5 to 8 of 8]]>,
      <@v0_in memory [mask, row_max, read_v[0 to 2 of 8] ahead -1, load_k ahead 2] priority 1>,
      <@output0 compute [pv[0 to 2 of 8] ahead -1, subtract[0 to 4 of 8]] anchor>,
      <@v1_in memory [read_v[2 to 5 of 8] ahead -1, subtract[4 to 6 of 8]] priority 1>,
      <@output1 compute [pv[2 to 5 of 8] ahead -1, subtract[6 to 8 of 8], exp[0 to 2 of 8]] anchor>,
      <@v2_in memory [read_v[5 to 8 of 8] ahead -1, exp[2 to 3 of 8]] priority 1>,
      <@output2 compute [pv[5 to 8 of 8] ahead -1, exp[3 to 6 of 8]] anchor>]>>
