// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics

// Weights are relative to the greatest factor of V that the wave has met.
// expected-error @+1 {{expected a schedule without key_waves: rows of V, or blocks of them, have factors of their own, and O of each wave would follow those of its keys; found key_waves = 2}}
fmha.attention @attn problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, v_scale = token>)
  schedule(#fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
    qk = <m = 16, n = 16, k = 128>, pv = <m = 16, n = 16, k = 32>,
    k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
    pipeline = <stages = [<@all compute [load_k, load_v, read_k, qk, score_mod, mask, row_max, rescale, subtract, exp, convert, row_sum, read_v, pv]>]>>)
