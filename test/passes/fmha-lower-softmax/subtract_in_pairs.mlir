// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Half of 16 scores, elements 8 to 15: four times two with one fma, of pairs that stand
// in the lane as they are used. Three of an odd part: a pair, and one alone.
// CHECK: %[[S:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK: %[[S8:.*]] = vector.extract %[[S]][8]
// CHECK: %[[S9:.*]] = vector.extract %[[S]][9]
// CHECK: %[[SHIFT:.*]] = vector.from_elements %[[ONE:.*]], %[[ONE]] : vector<2xf32>
// CHECK: %[[FACTOR:.*]] = vector.from_elements %[[F:.*]], %[[F]] : vector<2xf32>
// CHECK: %[[PAIR:.*]] = vector.from_elements %[[S8]], %[[S9]] : vector<2xf32>
// CHECK: %[[X:.*]] = llvm.intr.fma(%[[PAIR]], %[[FACTOR]], %[[SHIFT]]) : (vector<2xf32>
// CHECK: %[[X8:.*]] = vector.extract %[[X]][0]
// CHECK: %[[X9:.*]] = vector.extract %[[X]][1]
// CHECK-COUNT-3: llvm.intr.fma(%{{.*}}, %[[FACTOR]], %[[SHIFT]]) : (vector<2xf32>
// CHECK-NOT: llvm.intr.fma
// CHECK: vector.from_elements {{.*}}, %[[X8]], %[[X9]], {{.*}} : vector<16xf32>
//
// CHECK: llvm.intr.fma({{.*}}) : (vector<2xf32>
// CHECK: llvm.intr.fma({{.*}}) : (f32
// CHECK-NOT: llvm.intr.fma

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, packed = softmax, pipeline = <stages = [<@all compute [qk]>]>>
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
^bb0(%s: !s, %shift: !row, %factor: f32):
  %0 = fmha.subtract %s, %shift, %factor part <1 to 2 of 2> : !s, !row
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
  %2 = fmha.subtract %s, %shift, %factor part <0 to 3 of 16> : !s, !row
  %3 = fmha.to_lanes %2 : !s -> vector<16xf32>
}
