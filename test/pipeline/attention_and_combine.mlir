// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and what combines its parts become two functions of one module, each with its
// own workgroups: those of attention are as without the other (smoke_generic.mlir has 32 matrix
// instructions a tile).
//
// RUN: %python %{tools}/run_pipeline.py --fmhac-opt %fmhac-opt --table %pipeline_table %s > %t
// RUN: grep "rocdl.mfma.f32.32x32x16.bf16" %t | count 32
// RUN: FileCheck %s < %t
// CHECK-DAG: llvm.func @attn({{.*}}fmha.launch = "#fmha.launch<grid = [\22ceil(Sq / 128)\22, \22Hq\22, \22B\22], block = 256>"
// CHECK-DAG: llvm.func @sum({{.*}}fmha.launch = "#fmha.launch<grid = [\22min(Sq * Hq * B, 2048)\22, \221\22, \221\22], block = 64>"
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
fmha.attention @attn problem(#problem)
fmha.combine @sum parts problem(#problem)
