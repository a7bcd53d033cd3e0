// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic,dualwave -verify-diagnostics

// Two names are for two problems; one would be for all.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
fmha.attention @a problem(#problem)
fmha.attention @b problem(#problem)
// expected-error @+1 {{of as many names as problems come without a schedule (3), or a schedule that comes with the problem, found 2 names}}
fmha.attention @c problem(#problem)
