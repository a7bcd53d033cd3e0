// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=schedule=generic candidates=dualwave table=%S/Inputs/table.csv" -verify-diagnostics | FileCheck %s

// Whoever names a schedule gets it, and no remark: nothing was chosen.
// CHECK: #schedule = #fmha.schedule<tile_m = 128
fmha.attention @a problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
