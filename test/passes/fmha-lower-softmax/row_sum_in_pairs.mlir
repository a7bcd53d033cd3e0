// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// The sum of 16 weights as the sums of 8 even and 8 odd ones, 7 additions of pairs; one of
// the two, and one for the sum so far. None takes the result of the one before it, as long as there are others:
// LLVM would put a wait state between them.
// CHECK: %[[L:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[P0:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P1:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P2:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P3:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P4:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P5:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P6:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[P7:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[A:.*]] = arith.addf %[[P1]], %[[P0]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[P4]], %[[P3]]
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[P7]], %[[P6]]
// CHECK-NEXT: %[[AA:.*]] = arith.addf %[[P2]], %[[A]]
// CHECK-NEXT: %[[BB:.*]] = arith.addf %[[P5]], %[[B]]
// CHECK-NEXT: %[[AB:.*]] = arith.addf %[[BB]], %[[AA]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[C]], %[[AB]]
// CHECK: %[[EVEN:.*]] = vector.extract %[[BOTH]][0]
// CHECK: %[[ODD:.*]] = vector.extract %[[BOTH]][1]
// CHECK: %[[OWN:.*]] = arith.addf %[[EVEN]], %[[ODD]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[L]], %[[OWN]] : f32
// CHECK-NOT: arith.addf
// CHECK: vector.from_elements %[[SUM]] : vector<1xf32>

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
^bb0(%x: !s, %l: !row):
  %0 = fmha.row_sum %x to %l : !row : !s -> !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
