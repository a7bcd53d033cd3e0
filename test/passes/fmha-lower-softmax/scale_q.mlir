// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Q in f32, times the factor, rounded once to its type.
// CHECK: %[[F:.*]] = vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK: %[[Q:.*]]:2 = fmha.to_lanes
// CHECK: %[[W0:.*]] = arith.extf %[[Q]]#0 : vector<8xbf16> to vector<8xf32>
// CHECK: %[[M0:.*]] = arith.mulf %[[W0]], %[[F]] : vector<8xf32>
// CHECK: %[[R0:.*]] = arith.truncf %[[M0]] : vector<8xf32> to vector<8xbf16>
// CHECK: arith.extf %[[Q]]#1
// CHECK: %[[R1:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK: fmha.from_lanes %[[R0]], %[[R1]]
// CHECK-NOT: fmha.scale_q

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = q, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!p = !fmha.tile<32x32xbf16, #p>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !p, %factor: f32):
  %0 = fmha.scale_q %q, %factor : !p
  %1:2 = fmha.to_lanes %0 : !p -> vector<8xbf16>, vector<8xbf16>
}
