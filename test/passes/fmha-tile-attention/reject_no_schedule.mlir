// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics

// expected-error @+1 {{'fmha.attention' op expected a schedule, found none; run fmha-select-schedule}}
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)
