// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// The attribute prints under an alias; every field is printed.
// CHECK-DAG: #[[BF16:.*]] = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
// CHECK-DAG: #[[F16:.*]] = #fmha.problem<element = f16, output = f32, head_dim_qk = 8, head_dim_v = 256, mask = none>
// CHECK-DAG: fmha.attention @bf16 problem(#[[BF16]])
// CHECK-DAG: fmha.attention @f16 problem(#[[F16]])
fmha.attention @bf16 problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>)
fmha.attention @f16 problem(#fmha.problem<element = f16, output = f32, head_dim_qk = 8, head_dim_v = 256, mask = none>)
