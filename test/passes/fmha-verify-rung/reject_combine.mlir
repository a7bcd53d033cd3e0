// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=tiles -split-input-file -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=pipelined -split-input-file -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected lanes, waves and a launch, found none; run fmha-tile-combine}}
fmha.combine @c parts problem(#problem)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected its launch to have block = 256, as it has waves, found 64}}
fmha.combine @c parts problem(#problem) lanes 16 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 64>)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected a row in the lanes of one wave, found 128 lanes}}
fmha.combine @c parts problem(#problem) lanes 128 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
// expected-error @+1 {{'fmha.combine' op expected no body before the rung amdgpu, found one}}
fmha.combine @c parts problem(#problem) lanes 16 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>) {
  %0 = fmha.arg combine_count : i64
}
