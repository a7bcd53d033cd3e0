// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics

// Q times scale * log2(e), rounded once, sign and all; from there on the factor is 1.
// CHECK: %[[SCALE:.*]] = fmha.arg scale
// CHECK: %[[Q:.*]] = fmha.load_q
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[F:.*]] = arith.mulf %[[SCALE]], %[[LOG2E]]
// CHECK: %[[QS:.*]] = fmha.scale_q %[[Q]], %[[F]]
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NOT: fmha.apply_sign
// CHECK: fmha.product k %[[QS]]
// CHECK: fmha.row_max %{{.*}}, %{{.*}}, %{{.*}}, %[[ONE]] :
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[ONE]] :

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = q, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#problem) schedule(#schedule)
