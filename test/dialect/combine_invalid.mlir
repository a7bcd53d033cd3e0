// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected lanes, waves and a launch, or none of them, found some}}
fmha.combine @c parts problem(#problem) lanes 16

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected a power of two of lanes that have 128 columns, 8 each, found 8}}
fmha.combine @c parts problem(#problem) lanes 8 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected a power of two of lanes that have 128 columns, 8 each, found 24}}
fmha.combine @c parts problem(#problem) lanes 24 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>)
