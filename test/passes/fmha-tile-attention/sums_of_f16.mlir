// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics | FileCheck %s

// Dot products flush subnormals of f16 (CDNA4 ISA guide, 6.4); the product of P and V keeps
// them: a sum of P would lack what O has.
// CHECK: %[[W:.*]] = fmha.exp
// CHECK: %[[P:.*]] = fmha.convert %[[W]]
// CHECK-NEXT: fmha.row_sum %[[W]] to
// CHECK: fmha.combine_rows

#problem = #fmha.problem<q = f16, k = f16, v = f16, p = f16, o = f16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 1, n = 1, k = 2>, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-remark @+1 {{sums are not followed: dot products take weights of f16 below 2^-14 for zero; vector instructions add them}}
fmha.attention @attn problem(#problem) schedule(#schedule)
