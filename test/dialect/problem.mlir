// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// The attribute prints under an alias; fields that are as they are without being
// given are not printed.
// CHECK-DAG: #[[BF16:.*]] = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
// CHECK-DAG: #[[F16:.*]] = #fmha.problem<q = f16, k = f16, v = f16, p = f16, o = f32, head_dim_qk = 8, head_dim_v = 256, mask = none>
// CHECK-DAG: #[[WINDOW:.*]] = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window, window_left = 127, softcap = 3.000000e+01 : f32, score_mod = true, alibi = true, bias = true, sink = true, lse = true, varlen_q = true, lengths_kv = true>
// CHECK-DAG: #[[RIGHT:.*]] = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window, window_right = 0>
// CHECK-DAG: #[[CHUNKED:.*]] = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 72, head_dim_v = 96, mask = chunked, chunk = 1073741824, varlen_kv = true, lengths_q = true>
// CHECK-DAG: #[[TOP:.*]] = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = causal_top_left>
// e4m3 throughout; K and V of 8 bits that are dequantised, or meet a quantised Q.
// CHECK-DAG: #[[FP8:.*]] = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// CHECK-DAG: #[[MIXED:.*]] = #fmha.problem<q = f16, k = f8E4M3FN, v = f8E5M2, p = f16, o = f16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// CHECK-DAG: #[[QUANTISED:.*]] = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// CHECK-DAG: fmha.attention @bf16 problem(#[[BF16]])
// CHECK-DAG: fmha.attention @f16 problem(#[[F16]])
fmha.attention @bf16 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>)
fmha.attention @f16 problem(#fmha.problem<q = f16, k = f16, v = f16, p = f16, o = f32, head_dim_qk = 8, head_dim_v = 256, mask = none>)
// CHECK-DAG: fmha.attention @window problem(#[[WINDOW]])
// CHECK-DAG: fmha.attention @right problem(#[[RIGHT]])
// CHECK-DAG: fmha.attention @chunked problem(#[[CHUNKED]])
// CHECK-DAG: fmha.attention @top problem(#[[TOP]])
fmha.attention @window problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window, window_left = 127, window_right = -1, chunk = 0, softcap = 30.0 : f32, score_mod = true, alibi = true, bias = true, sink = true, lse = true, varlen_q = true, varlen_kv = false, lengths_kv = true>)
fmha.attention @right problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window, window_right = 0>)
fmha.attention @chunked problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 72, head_dim_v = 96, mask = chunked, chunk = 1073741824, varlen_kv = true, lengths_q = true>)
fmha.attention @top problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = causal_top_left>)
// CHECK-DAG: fmha.attention @fp8 problem(#[[FP8]])
// CHECK-DAG: fmha.attention @mixed problem(#[[MIXED]])
// CHECK-DAG: fmha.attention @quantised problem(#[[QUANTISED]])
fmha.attention @fp8 problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
fmha.attention @mixed problem(#fmha.problem<q = f16, k = f8E4M3FN, v = f8E5M2, p = f16, o = f16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
fmha.attention @quantised problem(#fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
