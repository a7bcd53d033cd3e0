// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// The maximum of the 16 scores of a lane is 15 operations; then that of the lane 32 on,
// which has the rest of the row; then the one so far.
// CHECK: fmha.kernel
// CHECK: %[[MV:.*]] = fmha.to_lanes %{{.*}} -> vector<1xf32>
// CHECK: %[[M:.*]] = vector.extract %[[MV]][0]
// CHECK-COUNT-15: arith.maxnumf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK: %[[PAIR:.*]] = rocdl.permlane32.swap
// CHECK-COUNT-2: llvm.extractvalue %[[PAIR]]
// CHECK: %[[TILEMAX:.*]] = arith.maxnumf
// CHECK: %[[MNEW:.*]] = arith.maxnumf %[[M]], %[[TILEMAX]] fastmath<nnan> : f32
//
// The shift is -factor * m, 0 for a row that saw no key. The correction is exp2 of factor *
// m_old + shift, both products rounded, so that it is exactly 1 where the maximum stays.
// CHECK: %[[NINF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[MNEW]], %[[NINF]] : f32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[FINITE:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[MNEW]] : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[FINITE]], %[[FACTOR:.*]] : f32
// CHECK: %[[SHIFT:.*]] = arith.negf %[[SCALED]] : f32
// CHECK: %[[MF:.*]] = arith.mulf %[[M]], %[[FACTOR]] : f32
// CHECK: %[[XM:.*]] = arith.addf %[[MF]], %[[SHIFT]] : f32
// CHECK: %[[CORR:.*]] = rocdl.exp2 %[[XM]]
//
// Eager: whoever asks whether something changed is told that it did.
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK-NOT: rocdl.ballot
// CHECK-NOT: scf.if
// CHECK-DAG: vector.from_elements %[[MNEW]] : vector<1xf32>
// CHECK-DAG: vector.from_elements %[[SHIFT]] : vector<1xf32>
// CHECK-DAG: vector.from_elements %[[CORR]] : vector<1xf32>
// CHECK: arith.extui %[[TRUE]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
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
^bb0(%s: !s, %m: !row, %shift: !row, %factor: f32):
  %m1, %shift1, %c, %any = fmha.row_max %s, %m, %shift, %factor : !s, !row
  %0 = fmha.to_lanes %m1 : !row -> vector<1xf32>
  %1 = fmha.to_lanes %shift1 : !row -> vector<1xf32>
  %2 = fmha.to_lanes %c : !row -> vector<1xf32>
  %3 = arith.extui %any : i1 to i32
}
