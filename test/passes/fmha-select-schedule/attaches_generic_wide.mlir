// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %source_root/passes/schedules/generic_wide.mlir > %t
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic_wide >> %t
// RUN: FileCheck %s < %t

// What is attached is what the schedule's file says.
// CHECK: #schedule = [[VALUE:#fmha.schedule<.*>]]
// CHECK: fmha.schedule @generic_wide = #schedule
// CHECK: #schedule = [[VALUE]]
// CHECK: fmha.attention @a problem(#problem) schedule(#schedule)
// CHECK: fmha.attention @b problem(#problem1) schedule(#schedule)
fmha.attention @a problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
fmha.attention @b problem(#fmha.problem<element = f16, output = f16, head_dim_qk = 64, head_dim_v = 64, mask = causal>)
