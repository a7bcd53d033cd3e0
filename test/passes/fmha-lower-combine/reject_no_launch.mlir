// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-combine -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected lanes, waves and a launch, found none; run fmha-tile-combine}}
fmha.combine @c parts problem(#problem)
