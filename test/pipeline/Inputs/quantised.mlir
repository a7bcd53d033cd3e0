// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fmha.attention @attn problem(#fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>)
