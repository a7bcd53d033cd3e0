// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// latent_decode_fp8_m128: latent attention of 128 rows in 8 bits, which matrix instructions bound, not
// memory. Four waves of 32 rows, one a SIMD, so that nothing but the wave itself can fill the shadow of its
// matrix instructions: a tile's weights are made while the next one is multiplied with Q, and while the one
// before is multiplied with V. Fragments of K and V are read one or two matrix instructions before they are
// multiplied. Four buffers: a tile of K stays until V was read, a sweep later.
//
// Budget, 576 and 512, a wave: registers Q 72, O 256, scores of one tile 32 and weights of the one before 32 or
// its P 8, fragments 24, of 512; LDS 146 KiB; 18 + 16 matrix instructions of 64 cycles a tile of 64 keys.
fmha.recipe @latent_decode_fp8_576x512 = #fmha.recipe<
  @scores [[ds_read 4], 16 x [mfma 1, ds_read 2, trans 1, valu 2], 2 x [mfma 1, valu 8]],
  @output [[ds_read 4], [mfma 1, ds_read 4, valu 4], 14 x [mfma 1, ds_read 4, trans 1, valu 4],
    [mfma 1, trans 2, valu 4]]>
fmha.schedule @latent_decode_fp8_m128 = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 1, rows = group,
  qk = <m = 32, n = 32, k = 64>,
  pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64, buffers = 4>,
  v = <read = column, max_pad_bytes = 64, shared = true>,
  rescale = lazy, lazy_log2 = 2, packed = off, grid = longest_first,
  pipeline = <instructions = pinned, recipe = @latent_decode_fp8_576x512, stages = [
    <@move memory [page_k ahead 3, page_v ahead 2, rescale ahead -1, load_k ahead 2]>,
    <@scores compute [
      read_k, qk, exp[4 to 8 of 8] ahead -1, row_sum ahead -1, convert ahead -1]>,
    <@middle memory [load_v ahead -1, score_mod, mask, row_max]>,
    <@output compute [read_v ahead -1, pv ahead -1, subtract, exp[0 to 4 of 8]]>]>>
