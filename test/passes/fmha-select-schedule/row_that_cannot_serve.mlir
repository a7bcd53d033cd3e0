// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=candidates=generic,generic_wide table=%S/Inputs/table.csv" -verify-diagnostics | FileCheck %s

// A row is a wish: its schedule has to be a candidate, else the next row is looked at.
// CHECK: #schedule = #fmha.schedule<tile_m = 128
// expected-remark @+2 {{table.csv:4 (bf16,65-128,*,none|causal,plain,any) is passed over: schedule dualwave does not compile this configuration}}
// expected-remark-re @+1 {{schedule generic by {{.*}}table.csv:6}}
fmha.attention @a problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
