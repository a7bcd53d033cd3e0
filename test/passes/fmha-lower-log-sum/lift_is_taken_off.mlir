// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-log-sum | FileCheck %s

// Weights were taken times 2^8, m was not: log2 of their sum is 8 too much. A row without keys
// has -inf still.
// CHECK: %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK: %[[FM:.*]] = arith.mulf
// CHECK: %[[LOG:.*]] = math.log2 %{{.*}} : f32
// CHECK: %[[LIFT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK: %[[POWER:.*]] = arith.subf %[[LOG]], %[[LIFT]] : f32
// CHECK: %[[LN:.*]] = arith.mulf %[[POWER]], %[[LN2]] : f32
// CHECK: arith.addf %{{.*}}, %[[LN]] : f32
// CHECK-NOT: fmha.log_sum

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%m: !row, %l: !row, %f: f32):
  %0 = fmha.log_sum %m, %l, %f lift 8 : !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
