// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file -verify-diagnostics

#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = f8E5M2, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
// expected-error @+1 {{'fmha.attention' op expected elements of k to be bf16, f16 or f8E4M3FN, found 'f8E5M2', which no pass lowers yet}}
fmha.attention @a problem(#problem) schedule(#schedule)

// -----

// No step converts K and V.
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
// expected-error @+1 {{'fmha.attention' op expected q, k, v and p of one type, as no step converts K and V, found q = 'bf16', k = 'f8E4M3FN', v = 'f8E4M3FN'}}
fmha.attention @a problem(#problem) schedule(#schedule)
