// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic -verify-diagnostics

// Nothing says that the problem is to have it.
// expected-error @+1 {{'fmha.schedule' op expected no schedule by name beside problems, found one; give it to the problem: schedule(…)}}
fmha.schedule @mine = @generic with <tile_n = 32>
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
