// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// P of 32 keys is 16 weights a lane, 8 pairs: two chains of 4 dot products with ones, one of
// which begins with the sum so far; an addition joins them. Each lane has a row of its own
// in both: no row meets another.
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<2xbf16>
// CHECK: %[[L:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[A0:.*]] = llvm.call_intrinsic "llvm.amdgcn.fdot2.f32.bf16"(%{{.*}}, %[[ONES]], %[[L]], %{{.*}})
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[B0:.*]] = llvm.call_intrinsic "llvm.amdgcn.fdot2.f32.bf16"(%{{.*}}, %[[ONES]], %[[ZERO]], %{{.*}})
// CHECK: %[[A1:.*]] = llvm.call_intrinsic "llvm.amdgcn.fdot2.f32.bf16"(%{{.*}}, %[[ONES]], %[[A0]], %{{.*}})
// CHECK: %[[B1:.*]] = llvm.call_intrinsic "llvm.amdgcn.fdot2.f32.bf16"(%{{.*}}, %[[ONES]], %[[B0]], %{{.*}})
// CHECK-COUNT-2: llvm.call_intrinsic
// CHECK: %[[A3:.*]] = llvm.call_intrinsic "llvm.amdgcn.fdot2.f32.bf16"
// CHECK: %[[B3:.*]] = llvm.call_intrinsic "llvm.amdgcn.fdot2.f32.bf16"
// CHECK: %[[SUM:.*]] = arith.addf %[[A3]], %[[B3]] : f32
// CHECK-NOT: arith.addf
// CHECK: vector.from_elements %[[SUM]] : vector<1xf32>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, sums = <m = 1, n = 1, k = 2>, pipeline = <stages = [<@all compute [qk]>]>>
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
^bb0(%p: !p, %l: !row):
  %0 = fmha.row_sum %p to %l : !row : !p -> !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
