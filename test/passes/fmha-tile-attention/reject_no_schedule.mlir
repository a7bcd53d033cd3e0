// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics

// expected-error @+1 {{'fmha.attention' op expected a schedule, found none; run fmha-select-schedule}}
fmha.attention @attn problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)
