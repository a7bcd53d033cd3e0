// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// The factor of a row is in its limit, its correction and its exponents.
// CHECK-LABEL: fmha.kernel @row_max
// CHECK: %[[C2:.*]] = arith.constant 2.807000e+00 : f32
// CHECK-NEXT: %[[FS:.*]] = fmha.to_lanes %arg3
// CHECK-NEXT: %[[F:.*]] = vector.extract %[[FS]][0] : f32 from vector<1xf32>
// CHECK-NEXT: %[[R:.*]] = rocdl.rcp %[[F]]
// CHECK: %[[LIMIT:.*]] = arith.mulf %[[C2]], %[[R]] : f32
// CHECK: %[[MOST:.*]] = arith.addf %{{.*}}, %[[LIMIT]] : f32
// CHECK: arith.cmpf ogt, %{{.*}}, %[[MOST]] : f32
// CHECK-LABEL: fmha.kernel @subtract
// CHECK: %[[FS:.*]] = fmha.to_lanes %arg2
// CHECK-NEXT: %[[F:.*]] = vector.extract %[[FS]][0] : f32 from vector<1xf32>
// CHECK: llvm.intr.fma(%{{.*}}, %[[F]], %{{.*}})
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, q_scale = token>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x64, transposed: lane c + 32h holds row c of its wave, register r key
// 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @row_max problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !row, %shift: !row, %f: !row):
  %m1, %shift1, %c, %changed = fmha.row_max %s, %m, %shift, %f of !row wide : !s, !row
  %0 = fmha.to_lanes %c : !row -> vector<1xf32>
}
fmha.kernel @subtract problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %shift: !row, %f: !row):
  %x = fmha.subtract %s, %shift, %f of !row wide lift 8 : !s, !row
  %0 = fmha.to_lanes %x : !s -> vector<16xf32>
}
