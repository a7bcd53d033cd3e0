// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of two problems becomes one of two functions, each with the matrix instructions
// and the LDS that it has alone: D = 128 has 32 instructions a tile and 33024 bytes
// (smoke_generic.mlir); D = 64 has 64 / 32 strips * 64 / 16 steps = 8 for QK, and
// 64 / 32 chunks * 64 / 16 steps = 8 for PV.
//
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %s > %t
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t | count 48
// RUN: FileCheck %s < %t
// CHECK-DAG: llvm.func @wide
// CHECK-DAG: llvm.func @narrow
fmha.attention @wide problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>)
fmha.attention @narrow problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)
