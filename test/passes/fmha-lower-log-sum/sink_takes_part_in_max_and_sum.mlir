// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-log-sum | FileCheck %s

// With x = log_sum, s = sink, most = max(x, s): result = most + ln(e^(x - most) +
// e^(s - most)), weight = e^(x - result); e^d is 2^(d * 1.44269504), ln is log2 *
// 0.693147181, and differences come first, so that no product overflows.
// CHECK: ^bb0(%[[T:.*]]: !fmha.tile<64xf32, #{{.*}}>, %[[SINK:.*]]: f32):
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[X:.*]] = vector.extract
// CHECK: %[[MOST:.*]] = arith.maxnumf %[[X]], %[[SINK]] : f32
//
// Without keys and with a sink of -inf, -inf - -inf would be NaN: 0 stands for most.
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[MOST]], %[[NONE]] : f32
// CHECK: %[[FROM:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[MOST]] : f32
// CHECK: %[[XD:.*]] = arith.subf %[[X]], %[[FROM]] : f32
// CHECK: %[[XP:.*]] = arith.mulf %[[XD]], %[[LOG2E]] : f32
// CHECK: %[[XE:.*]] = math.exp2 %[[XP]] : f32
// CHECK: %[[SD:.*]] = arith.subf %[[SINK]], %[[FROM]] : f32
// CHECK: %[[SP:.*]] = arith.mulf %[[SD]], %[[LOG2E]] : f32
// CHECK: %[[SE:.*]] = math.exp2 %[[SP]] : f32
// CHECK: %[[BOTH:.*]] = arith.addf %[[XE]], %[[SE]] : f32
// CHECK: %[[LOG:.*]] = math.log2 %[[BOTH]] : f32
// CHECK: %[[LN:.*]] = arith.mulf %[[LOG]], %[[LN2]] : f32
// CHECK: %[[RESULT:.*]] = arith.addf %[[FROM]], %[[LN]] : f32
// CHECK: %[[FINITE:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[RESULT]] : f32
// CHECK: %[[WD:.*]] = arith.subf %[[X]], %[[FINITE]] : f32
// CHECK: %[[WP:.*]] = arith.mulf %[[WD]], %[[LOG2E]] : f32
// CHECK: %[[WEIGHT:.*]] = math.exp2 %[[WP]] : f32
// CHECK: %[[RV:.*]] = vector.from_elements %[[RESULT]] : vector<1xf32>
// CHECK: %[[RT:.*]] = fmha.from_lanes %[[RV]]
// CHECK: %[[WV:.*]] = vector.from_elements %[[WEIGHT]] : vector<1xf32>
// CHECK: %[[WT:.*]] = fmha.from_lanes %[[WV]]
// CHECK: fmha.to_lanes %[[WT]]
// CHECK: fmha.to_lanes %[[RT]]
// CHECK-NOT: fmha.add_sink

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, sink = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !row, %sink: f32):
  %0, %1 = fmha.add_sink %x, %sink : !row
  %2 = fmha.to_lanes %1 : !row -> vector<1xf32>
  %3 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
