// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file -verify-diagnostics

#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
// Dqk is cut into steps of qk.k = 16; 24 is no multiple.
#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 24, head_dim_v = 64, mask = none>
// expected-error @+1 {{'fmha.attention' op expected head_dim_qk to be a power of two and a multiple of qk.k = 16, found 24}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
// 48 = 3 * 16 is no power of two.
#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 48, head_dim_v = 64, mask = none>
// expected-error @+1 {{'fmha.attention' op expected head_dim_qk to be a power of two and a multiple of qk.k = 16, found 48}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
// Dv is cut into chunks of pv.m = 32.
#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 64, head_dim_v = 16, mask = none>
// expected-error @+1 {{'fmha.attention' op expected head_dim_v to be a power of two and a multiple of pv.m = 32, found 16}}
fmha.attention @attn problem(#problem) schedule(#schedule)
