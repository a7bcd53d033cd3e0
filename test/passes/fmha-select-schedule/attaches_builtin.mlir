// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %source_root/passes/schedules/generic.mlir > %t
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic >> %t
// RUN: FileCheck %s < %t

// What is attached is what the schedule's file says.
// CHECK: #schedule = [[VALUE:#fmha.schedule<.*>]]
// CHECK: fmha.schedule @generic = #schedule
// CHECK: #schedule = [[VALUE]]
// CHECK: fmha.attention @a problem(#problem) schedule(#schedule)
// CHECK: fmha.attention @b problem(#problem1) schedule(#schedule)
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
fmha.attention @b problem(#fmha.problem<q = f16, k = f16, v = f16, p = f16, o = f16, head_dim_qk = 64, head_dim_v = 64, mask = causal>)
