// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics | FileCheck %s

// LSE is that of weights that are not rounded, whatever sums say.
// CHECK: %[[W:.*]] = fmha.exp
// CHECK: %[[P:.*]] = fmha.convert %[[W]]
// CHECK-NEXT: fmha.row_sum %[[W]] to
// CHECK-NOT: fmha.matrix_sum
// CHECK: fmha.combine_rows
// CHECK: fmha.store_lse

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, lse = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-remark @+1 {{sums are not followed: lse asks for sums of weights that are not rounded; vector instructions add them}}
fmha.attention @attn problem(#problem) schedule(#schedule)
