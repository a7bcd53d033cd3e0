// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_q8: dualwave_fp8 for a Q that the kernel rounds to 8 bits. Its rows then carry the factor of
// scores but for a power of two, by which the matrix instruction multiplies: products that start from
// the lift less the maximum are exponents as they come, and nothing is subtracted.
//
// Budget: that of dualwave_fp8 but for 16 packed instructions a wave and tile, which do not overlap with
// matrix instructions, and one register more, that of the power of two: 584 cycles of issue a wave and
// tile, for the two waves of a SIMD 1168 beside 1088 of matrix instructions. With lse 16 packed additions
// take the place of one matrix instruction, in the stage of scores. The recipes were found by search, in the cycle
// model, with equal scores, for both: 1204 cycles a tile of a compute unit, 1394 with lse.
fmha.recipe @dualwave_q8_d128 = #fmha.recipe<
  @k_in [[ds_read 8]],
  @scores [[mfma 1, trans 3, valu 3], [mfma 2, trans 1, valu 9], [mfma 1, trans 4, valu 4]],
  @v_in [[ds_read 2 3 7 4, valu 4 3 5 0]],
  @output [[mfma 1, trans 6], [mfma 1, trans 6], [mfma 2, trans 12]]>
fmha.schedule @dualwave_q8 = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>,
  v = <read = column, max_pad_bytes = 64, buffers = 2>,
  scale = start, rescale = lazy, lazy_log2 = 2, packed = softmax, grid = longest_first,
  sums = <m = 32, n = 32, k = 64>,
  pipeline = <
    tiles = 2, stagger = 1, instructions = pinned, recipe = @dualwave_q8_d128,
    stages = [
      <@k_in memory [page_k ahead 2, page_v ahead 1, rescale ahead -1, read_k, load_v]>,
      <@scores compute [qk, exp[6 to 8 of 8] ahead -1, convert ahead -1, row_sum ahead -1] anchor>,
      <@v_in memory [read_v ahead -1, load_k ahead 2, mask, row_max] priority 2>,
      <@output compute [pv ahead -1, exp[0 to 6 of 8]] anchor>]>>
