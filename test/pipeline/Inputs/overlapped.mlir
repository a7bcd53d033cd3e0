// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A problem with a schedule of its own, so that tests do not move with the built-in
// ones: two groups of waves one barrier apart, recipes for both steps that compute.
// For 64 keys, D = 128 and 32 rows a wave these have 16 matrix instructions each, 16
// exp2, and 16 + 8 and 32 + 16 + 8 vector instructions.
fmha.attention @attn
  problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
  schedule(#fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
    qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
    k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
    rescale = lazy, lazy_log2 = 8,
    pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
      <@k_in memory [rescale ahead -1, read_k, load_v]>,
      <@scores compute
        [qk, exp[1 to 2 of 2] ahead -1, row_sum[1 to 2 of 2] ahead -1, convert[1 to 2 of 2] ahead -1]
        groups [8 x [mfma 1, trans 2, valu 1], 8 x [mfma 1, valu 2]]>,
      <@v_in memory [read_v ahead -1, load_k ahead 2, mask, row_max]>,
      <@output compute
        [pv ahead -1, subtract, exp[0 to 1 of 2], row_sum[0 to 1 of 2], convert[0 to 1 of 2]]
        groups [8 x [mfma 1, valu 4], 8 x [mfma 1, trans 2]]>]>>)
