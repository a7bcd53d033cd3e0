// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-combine -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected lanes, waves and a launch, found none; run fmha-tile-combine}}
fmha.combine @c parts problem(#problem)

// -----

// Of an edited text: the rows of workgroups that are not launched would be missing.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected the launch that its code counts on, #fmha.launch<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>, found #fmha.launch<grid = ["1", "1", "1"], block = 64>}}
fmha.combine @c parts problem(#problem) lanes 16 waves 1 launch(#fmha.launch<grid = ["1", "1", "1"], block = 64>)
