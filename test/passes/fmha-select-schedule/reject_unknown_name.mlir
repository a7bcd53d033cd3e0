// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=genric -verify-diagnostics

// expected-error-re @+1 {{expected the name of a built-in schedule ({{.*}}generic{{.*}}), found 'genric'}}
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
