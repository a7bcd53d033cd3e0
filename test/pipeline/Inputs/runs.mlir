// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, work = runs, parts = true>)
