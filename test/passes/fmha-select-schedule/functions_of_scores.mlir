// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=candidates=generic,dualwave,dualwave_1tile table=%S/Inputs/functions.csv" -verify-diagnostics

// A row is for problems all of whose functions it names: one function or both of two,
// but not one of them with a third. `functions` is for any of them, and for no plain scores.
// expected-remark-re @+1 {{schedule dualwave by {{.*}}functions.csv:3 (*,*,*,*,softcap|alibi,any)}}
fmha.attention @softcap problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, softcap = 3.0 : f32>)
// expected-remark-re @+1 {{schedule dualwave by {{.*}}functions.csv:3}}
fmha.attention @alibi problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, alibi = true>)
// expected-remark-re @+1 {{schedule dualwave by {{.*}}functions.csv:3}}
fmha.attention @both problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, softcap = 3.0 : f32, alibi = true>)
// expected-remark-re @+1 {{schedule generic by {{.*}}functions.csv:5 (*,*,*,*,functions,any)}}
fmha.attention @with_bias problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, softcap = 3.0 : f32, bias = true>)
// expected-remark-re @+1 {{schedule generic by {{.*}}functions.csv:5}}
fmha.attention @bias problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, bias = true>)
// expected-remark-re @+1 {{schedule dualwave_1tile by {{.*}}functions.csv:4 (*,*,*,*,plain|score_mod,any)}}
fmha.attention @users problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, score_mod = true>)
// expected-remark-re @+1 {{schedule generic by {{.*}}functions.csv:5}}
fmha.attention @users_and_softcap problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, softcap = 3.0 : f32, score_mod = true>)
// expected-remark-re @+1 {{schedule dualwave_1tile by {{.*}}functions.csv:4}}
fmha.attention @plain problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
