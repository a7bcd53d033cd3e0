// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-log-sum | FileCheck %s

// ln of the sum of 2^(factor * s) over keys: factor * ln(2) * m + log2(l) * ln(2), where
// l = sum of 2^(factor * (s - m)); ln(2) = 0.693147181.
// CHECK: ^bb0(%[[MT:.*]]: !fmha.tile<64xf32, #{{.*}}>, %[[LT:.*]]: !fmha.tile<64xf32, #{{.*}}>, %[[F:.*]]: f32):
// CHECK: %[[MV:.*]] = fmha.to_lanes %[[MT]]
// CHECK: %[[M:.*]] = vector.extract %[[MV]][0]
// CHECK: %[[LV:.*]] = fmha.to_lanes %[[LT]]
// CHECK: %[[L:.*]] = vector.extract %[[LV]][0]
// CHECK: %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK: %[[SCALE:.*]] = arith.mulf %[[F]], %[[LN2]] : f32
// CHECK: %[[FM:.*]] = arith.mulf %[[M]], %[[SCALE]] : f32
// CHECK: %[[LOG:.*]] = math.log2 %[[L]] : f32
// CHECK: %[[LN:.*]] = arith.mulf %[[LOG]], %[[LN2]] : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[FM]], %[[LN]] : f32
// CHECK: vector.from_elements %[[SUM]] : vector<1xf32>
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
  %0 = fmha.log_sum %m, %l, %f : !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
