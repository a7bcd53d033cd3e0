// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule -verify-diagnostics

// expected-error @+1 {{expected the option schedule=NAME, of as many names as problems come without a schedule (1), or a schedule that comes with the problem, found 0 names}}
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
