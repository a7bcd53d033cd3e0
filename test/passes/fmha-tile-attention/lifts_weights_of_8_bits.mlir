// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file | FileCheck %s

// The greatest weight is 2^lift times that of a late rescale, at most 448 = 2^8.8: a lift of 8 if
// O follows every maximum. LSE takes it off; m never has it.
// CHECK-LABEL: fmha.kernel @eager
// CHECK: fmha.row_max
// CHECK-NOT: lift
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %{{[a-z0-9_]*}} wide lift 8 :
// CHECK: fmha.log_sum %{{.*}}, %{{.*}}, %{{.*}} lift 8 :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true>
fmha.attention @eager problem(#problem) schedule(#schedule)

// -----

// 8.8 - 2, rounded down.
// CHECK-LABEL: fmha.kernel @lazy
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %{{[a-z0-9_]*}} wide lift 6 :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
fmha.attention @lazy problem(#problem) schedule(#schedule)

// -----

// The maximum is subtracted before the factor multiplies, or by the product of Q and K. Q stays as it
// is. Where the maximum moves, the factor is in limit and correction.
// CHECK-LABEL: fmha.kernel @start
// CHECK-NOT: fmha.scale_q
// CHECK: fmha.rebase %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} factor %[[F:.*]] :
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[F]] lift 6 :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
fmha.attention @start problem(#problem) schedule(#schedule)

// -----

// Weights of 16 bits are not lifted.
// CHECK-LABEL: fmha.kernel @bf16
// CHECK-NOT: lift

#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
fmha.attention @bf16 problem(#problem) schedule(#schedule)
