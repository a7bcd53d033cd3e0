// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=candidates=generic_wide,generic table=%S/Inputs/narrow.csv" -verify-diagnostics | FileCheck %s

// The first candidate.
// CHECK: #schedule = #fmha.schedule<tile_m = 128, tile_n = 32
// expected-remark @+1 {{schedule generic_wide, the usual one: no row of a table has one for this problem that compiles it}}
fmha.attention @a problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 256, head_dim_v = 192, mask = none>)
