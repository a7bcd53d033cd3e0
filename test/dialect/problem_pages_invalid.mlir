// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected page_size in 1..65536 with pages and 0 without, found 0}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table>

// -----

// expected-error @+1 {{expected page_size in 1..65536 with pages and 0 without, found 65537}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 65537>

// -----

// expected-error @+1 {{expected page_size in 1..65536 with pages and 0 without, found 16}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, page_size = 16>

// -----

// expected-error @+1 {{expected sequences of K and V to lie in pages or one after the other (varlen_kv), found both}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, varlen_kv = true, pages = list, page_size = 16>

// -----

// expected-error @+1 {{expected lengths_kv with pages = table, and not with pages = list, which has them; found pages = table without lengths_kv}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, pages = table, page_size = 16>

// -----

// expected-error @+1 {{expected lengths_kv with pages = table, and not with pages = list, which has them; found pages = list with lengths_kv}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = list, page_size = 16>

// -----

// expected-error @+1 {{expected lengths_cached with lengths_kv only}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_cached = true>

// -----

// expected-error @+1 {{expected vectorised with pages only}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, vectorised = true>

// -----

// expected-error @+1 {{expected page_size to be a multiple of 8 with vectorised, the elements of 16 bytes, found 4}}
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 4, vectorised = true>

// -----

// expected-error @+1 {{expected page_size to be a multiple of 16 with vectorised, the elements of 16 bytes, found 8}}
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 8, vectorised = true>

// -----

// expected-error @+1 {{expected head_dim_qk to be a multiple of 16 with vectorised, the elements of 16 bytes, found 40}}
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 40, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 16, vectorised = true>
