// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file | FileCheck %s

// Each row of Q has its own scale: sign and magnitude, in maximum, exponents and LSE.
// CHECK-LABEL: fmha.kernel @fma
// CHECK: %[[K:.*]] = fmha.load_uniform k_scale at
// CHECK: %[[SCALE:.*]] = arith.mulf %[[K]], %{{.*}} : f32
// CHECK: %[[VIEW:.*]] = fmha.view q_scale : !fmha.view<1, f32>
// CHECK: %[[Q:.*]] = fmha.load_factors %[[VIEW]]
// CHECK: %[[ROWS:.*]] = fmha.scale_rows %[[Q]], %[[SCALE]] :
// CHECK: %[[EXP:.*]] = fmha.scale_rows %[[ROWS]], %{{.*}} :
// CHECK: %[[F:.*]] = fmha.magnitude %[[EXP]] from 7.88860905E-31 to 1.2676506E+30
// CHECK: fmha.apply_sign %{{.*}}, %[[ROWS]] of !fmha.tile<32xf32> :
// CHECK: fmha.row_max %{{.*}}, %{{.*}}, %{{.*}}, %[[F]] of !fmha.tile<32xf32> wide
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[F]] of !fmha.tile<32xf32> wide lift 8
// CHECK: fmha.log_sum %{{.*}}, %{{.*}}, %[[F]] of !fmha.tile<32xf32> lift 8

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#fma = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true, q_scale = token, k_scale = head>
fmha.attention @fma problem(#fma) schedule(#schedule)

// -----

// Where products start from minus the maximum the limit of each row has its factor, too.
// CHECK-LABEL: fmha.kernel @start
// CHECK: %[[F:.*]] = fmha.magnitude
// CHECK: fmha.rebase %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} factor %[[F]] of !fmha.tile<32xf32> :
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[F]] of !fmha.tile<32xf32> lift 6

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#start = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, q_scale = block, scale_block = 16>
fmha.attention @start problem(#start) schedule(#schedule)

// -----

// A function gets scores times the scale of their row.
// CHECK-LABEL: fmha.kernel @function
// CHECK: %[[ROWS:.*]] = fmha.scale_rows
// CHECK: %[[S:.*]] = fmha.product k
// CHECK: %[[X:.*]] = fmha.scale_scores %[[S]], %[[ROWS]] :
// CHECK: fmha.score_mod %[[X]]
// CHECK-NEXT: arith.constant
// CHECK-NOT: fmha.arg scale

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#function = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, softcap = 2.0 : f32, q_scale = token>
fmha.attention @function problem(#function) schedule(#schedule)
