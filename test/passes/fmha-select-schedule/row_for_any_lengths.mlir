// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=candidates=generic,dualwave table=%S/Inputs/table.csv" -verify-diagnostics | FileCheck %s

// Where lengths are not known, a row for short ones is none. Types, head sizes, mask
// and functions of scores each pass a row over; what is chosen is not what comes first
// among the candidates.
// CHECK-DAG: #[[WAVES:.*]] = #fmha.schedule<tile_m = 256
// CHECK-DAG: #[[PLAIN:.*]] = #fmha.schedule<tile_m = 128
// CHECK: fmha.attention @fits problem({{.*}}) schedule(#[[WAVES]])
// CHECK: fmha.attention @dtype problem({{.*}}) schedule(#[[PLAIN]])
// CHECK: fmha.attention @head problem({{.*}}) schedule(#[[PLAIN]])
// CHECK: fmha.attention @mask problem({{.*}}) schedule(#[[PLAIN]])
// CHECK: fmha.attention @function problem({{.*}}) schedule(#[[WAVES]])
// expected-remark-re @+1 {{schedule dualwave by {{.*}}table.csv:4 (bf16,65-128,*,none|causal,plain,any): 1.2500 ms, 2154 cycles a KV tile, against 2.5000 ms and 2752 of generic, on B1 Sq4096}}
fmha.attention @fits problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>)
// expected-remark-re @+1 {{schedule generic by {{.*}}table.csv:6 (*,*,*,*,*,any): 1000.0000 ms, 2 cycles a KV tile, on B3}}
fmha.attention @dtype problem(#fmha.problem<element = f16, output = f16, head_dim_qk = 128, head_dim_v = 128, mask = causal>)
// expected-remark-re @+1 {{schedule generic by {{.*}}table.csv:6}}
fmha.attention @head problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 64, head_dim_v = 128, mask = causal>)
// expected-remark-re @+1 {{schedule generic by {{.*}}table.csv:6}}
fmha.attention @mask problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = window, window_left = 9, window_right = 0>)
// expected-remark-re @+1 {{schedule dualwave by {{.*}}table.csv:5 (*,*,*,*,functions,any)}}
fmha.attention @function problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, softcap = 3.0 : f32>)
