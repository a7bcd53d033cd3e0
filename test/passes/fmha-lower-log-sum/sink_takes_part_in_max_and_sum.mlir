// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-log-sum | FileCheck %s

// The sink is a natural logit: times log2(e) = 1.44269504 it is one of base 2. With
// x = log_sum, s = sink * log2(e), most = max(x, s):
// result = most + log2(2^(x - most) + 2^(s - most)), weight = 2^(x - result).
// CHECK: ^bb0(%[[T:.*]]: !fmha.tile<64xf32, #{{.*}}>, %[[SINK:.*]]: f32):
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[S:.*]] = arith.mulf %[[SINK]], %[[LOG2E]] : f32
// CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[X:.*]] = vector.extract
// CHECK: %[[MOST:.*]] = arith.maxnumf %[[X]], %[[S]] : f32
//
// Without keys and with a sink of -inf, -inf - -inf would be NaN: 0 stands for most.
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[MOST]], %[[NONE]] : f32
// CHECK: %[[FROM:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[MOST]] : f32
// CHECK: %[[XD:.*]] = arith.subf %[[X]], %[[FROM]] : f32
// CHECK: %[[XE:.*]] = math.exp2 %[[XD]] : f32
// CHECK: %[[SD:.*]] = arith.subf %[[S]], %[[FROM]] : f32
// CHECK: %[[SE:.*]] = math.exp2 %[[SD]] : f32
// CHECK: %[[BOTH:.*]] = arith.addf %[[XE]], %[[SE]] : f32
// CHECK: %[[LOG:.*]] = math.log2 %[[BOTH]] : f32
// CHECK: %[[RESULT:.*]] = arith.addf %[[FROM]], %[[LOG]] : f32
// CHECK: %[[FINITE:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[RESULT]] : f32
// CHECK: %[[WD:.*]] = arith.subf %[[X]], %[[FINITE]] : f32
// CHECK: %[[WEIGHT:.*]] = math.exp2 %[[WD]] : f32
// CHECK: %[[RV:.*]] = vector.from_elements %[[RESULT]] : vector<1xf32>
// CHECK: %[[RT:.*]] = fmha.from_lanes %[[RV]]
// CHECK: %[[WV:.*]] = vector.from_elements %[[WEIGHT]] : vector<1xf32>
// CHECK: %[[WT:.*]] = fmha.from_lanes %[[WV]]
// CHECK: fmha.to_lanes %[[WT]]
// CHECK: fmha.to_lanes %[[RT]]
// CHECK-NOT: fmha.add_sink

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, sink = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, score_mod, mask, softmax, rescale, pv], rescale = eager>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !row, %sink: f32):
  %0, %1 = fmha.add_sink %x, %sink : !row
  %2 = fmha.to_lanes %1 : !row -> vector<1xf32>
  %3 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
