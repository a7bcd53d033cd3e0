// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=candidates=generic,dualwave lengths=short table=%S/Inputs/table.csv" -verify-diagnostics | FileCheck %s

// The class of lengths is part of what a row is for: that for short problems is taken
// here, and nothing else is said than which row, and what it was measured against.
// CHECK: #schedule = #fmha.schedule<tile_m = 128
// CHECK: fmha.attention @a
// expected-remark-re @+1 {{schedule generic by {{.*}}table.csv:3 (bf16,65-128,*,none|causal,plain,short): 0.0100 ms, 2000 cycles a KV tile, against 0.0200 ms and 4000 of dualwave, on B1 Sq128}}
fmha.attention @a problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
