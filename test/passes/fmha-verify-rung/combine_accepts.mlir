// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module may hold no attention.
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=problem
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=tiles
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=pipelined
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
fmha.combine @c parts problem(#problem) lanes 16 waves 4 launch(#fmha.launch<grid = ["Sq", "1", "1"], block = 256>)
