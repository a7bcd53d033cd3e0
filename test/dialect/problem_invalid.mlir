// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected q to be bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8), found 'f32'}}
fmha.attention @k problem(#fmha.problem<q = f32, k = f32, v = f32, p = f32, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected o to be bf16, f16 or f32, or f8E4M3FN with k of 8 bits, found 'i32'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = i32, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// e4m3 of other hardware, with another bias.
// expected-error @+1 {{expected v to be bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8), found 'f8E4M3FNUZ'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = f8E4M3FNUZ, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected o to be bf16, f16 or f32, or f8E4M3FN with k of 8 bits, found 'f8E4M3FN'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f8E4M3FN, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected k_scale with elements of 8 bits only, found 'bf16'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, k_scale = head>)

// -----

// expected-error @+1 {{expected v_scale of packed sequences to be head or token, found block}}
fmha.attention @k problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, varlen_kv = true, v_scale = block, scale_block = 64>)

// -----

// expected-error @+1 {{expected scale_block in 1..2147483647 with factors by block and 0 without, found 0}}
fmha.attention @k problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, q_scale = block>)

// -----

// expected-error @+1 {{expected scale_block in 1..2147483647 with factors by block and 0 without, found 64}}
fmha.attention @k problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, q_scale = token, scale_block = 64>)

// -----

// expected-error @+1 {{expected one type throughout where q, k and v have 16 bits, found q = 'bf16', k = 'f16', v = 'bf16', p = 'bf16'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = f16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected one type throughout where q, k and v have 16 bits, found q = 'bf16', k = 'bf16', v = 'bf16', p = 'f8E4M3FN'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected f8E4M3FN throughout with q of 8 bits, found q = 'f8E5M2', k = 'f8E5M2', v = 'f8E5M2', p = 'f8E5M2'}}
fmha.attention @k problem(#fmha.problem<q = f8E5M2, k = f8E5M2, v = f8E5M2, p = f8E5M2, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected f8E4M3FN throughout with q of 8 bits, found q = 'f8E4M3FN', k = 'f8E4M3FN', v = 'f8E4M3FN', p = 'bf16'}}
fmha.attention @k problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected k and v both of 8 bits, and p like q or f8E4M3FN, with q of 16 bits and one of k and v of 8, found q = 'bf16', k = 'f8E4M3FN', v = 'bf16', p = 'bf16'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = f8E4M3FN, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected k and v both of 8 bits, and p like q or f8E4M3FN, with q of 16 bits and one of k and v of 8, found q = 'bf16', k = 'f8E5M2', v = 'f8E5M2', p = 'f8E5M2'}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = f8E5M2, v = f8E5M2, p = f8E5M2, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected head_dim_qk to be a multiple of 8 in 8..576, found 0}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 0, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected head_dim_qk to be a multiple of 8 in 8..576, found 584}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 584, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected head_dim_v to be a multiple of 8 in 8..512, found 20}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 20, mask = none>)

// -----

// A mask is one of a closed set: the parser of the enum refuses others.
// expected-error @+2 {{expected ::mlir::fmha::MaskKind to be one of: none, causal, causal_top_left, window, chunked}}
// expected-error @+1 {{failed to parse}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = sliding>)

// -----

// expected-error @+1 {{expected window_left with mask window only}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = causal, window_left = 4>)

// -----

// expected-error @+1 {{expected window_right with mask window only}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, window_right = 0>)

// -----

// expected-error @+1 {{expected window_left in -1..1073741824, found -2}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window, window_left = -2>)

// -----

// 2^30 + 1: a position and it would not fit in 32 bits.
// expected-error @+1 {{expected window_right in -1..1073741824, found 1073741825}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window, window_right = 1073741825>)

// -----

// expected-error @+1 {{expected chunk in 1..1073741824 with mask chunked and 0 without, found 0}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = chunked>)

// -----

// expected-error @+1 {{expected chunk in 1..1073741824 with mask chunked and 0 without, found -1}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = chunked, chunk = -1>)

// -----

// expected-error @+1 {{expected chunk in 1..1073741824 with mask chunked and 0 without, found 1073741825}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = chunked, chunk = 1073741825>)

// -----

// expected-error @+1 {{expected chunk in 1..1073741824 with mask chunked and 0 without, found 16}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = causal, chunk = 16>)

// -----

// expected-error @+1 {{expected softcap to be a normal f32 above 0, found 0.000000e+00 : f32}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, softcap = 0.0 : f32>)

// -----

// expected-error @+1 {{expected softcap to be a normal f32 above 0, found -1.000000e+00 : f32}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, softcap = -1.0 : f32>)

// -----

// NaN is not above 0.
// expected-error @+1 {{expected softcap to be a normal f32 above 0, found 0x7FC00000 : f32}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, softcap = 0x7FC00000 : f32>)

// -----

// expected-error @+1 {{expected softcap to be a normal f32 above 0, found 3.000000e+01 : f64}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, softcap = 30.0 : f64>)

// -----

// expected-error @+1 {{expected a sequence to be packed (varlen) or to have lengths, found both}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, varlen_q = true, lengths_q = true>)

// -----

// expected-error @+1 {{expected a sequence to be packed (varlen) or to have lengths, found both}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, varlen_kv = true, lengths_kv = true>)

// -----

// expected-error @+1 {{expected softcap to be a normal f32 above 0, found 0x7F800000 : f32}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, softcap = 0x7F800000 : f32>)

// -----

// 2^-128 is subnormal, 1 over it past the largest f32.
// expected-error @+1 {{expected softcap to be a normal f32 above 0, found 2.93873588E-39 : f32}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, softcap = 0x00200000 : f32>)

// -----

// expected-error @+1 {{expected rope_dim to be a multiple of 8 below head_dim_qk, 64, found 64}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, rope_dim = 64>)

// -----

// expected-error @+1 {{expected rope_dim to be a multiple of 8 below head_dim_qk, 64, found 12}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, rope_dim = 12>)

// -----

// expected-error @+1 {{expected head_dim_v of at most the 48 columns of K's tensor with v_in_k, found 64}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, rope_dim = 16, v_in_k = true>)

// -----

// expected-error @+1 {{expected v and v_scale to be those of k with v_in_k, found v = 'f8E5M2', k = 'f8E4M3FN', v_scale = none, k_scale = none}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, v_in_k = true>)

// -----

// expected-error @+1 {{expected v and v_scale to be those of k with v_in_k}}
fmha.attention @k problem(#fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, k_scale = head, v_in_k = true>)
