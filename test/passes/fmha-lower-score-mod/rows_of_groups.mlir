// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-score-mod | FileCheck %s

// Row r of the lane is row q = r / G of Q, of head id * G + r - q G, where id is that of K and V.
// CHECK: fmha.kernel
// CHECK: %[[LANE:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[TWICE:.*]] = arith.shli %[[R:.*]], %{{.*}} : i32
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[Q:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[ID:.*]] = fmha.id head : i32
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[BASE:.*]] = arith.muli %[[ID]], %[[G]] : i32
// CHECK: %[[G2:.*]] = fmha.arg group_size : i32
// CHECK: %[[QG:.*]] = arith.muli %[[Q]], %[[G2]] : i32
// CHECK: %[[MEMBER:.*]] = arith.subi %[[R]], %[[QG]] : i32
// CHECK: %[[HEAD:.*]] = arith.addi %[[BASE]], %[[MEMBER]] : i32
// CHECK: arith.subi %[[Q]], %{{.*}} : i32
// CHECK: arith.muli %{{.*}}, %[[HEAD]] : i32
// CHECK-NOT: fmha.score_mod
//
// ALiBi: the slope is the row's, the distance that from the diagonal of the row of Q.
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[Q:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[ON:.*]] = arith.addi %[[Q]], %{{.*}} : i32
// CHECK: %[[AWAY:.*]] = arith.subi %[[ON]], %{{.*}} : i32
// CHECK: %[[F:.*]] = arith.sitofp %[[AWAY]] : i32 to f32
// CHECK: %[[ABS:.*]] = math.absf %[[F]] : f32
// CHECK: %[[BIAS:.*]] = arith.mulf %[[SLOPE:.*]], %[[ABS]] : f32
// CHECK: arith.subf %{{.*}}, %[[BIAS]] : f32
// CHECK-COUNT-15: arith.mulf %[[SLOPE]], %{{.*}} : f32
// CHECK-NOT: fmha.subtract_alibi
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, alibi = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rows = group, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c of its wave, register r
// key 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]],
  wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!rows = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32, %slopes: !rows):
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %d = arith.subi %row, %key : i32
    %e = arith.muli %d, %head : i32
    %g = arith.sitofp %e : i32 to f32
    %y = arith.addf %score, %g : f32
    fmha.yield %y : f32
  } : !s
  %y = fmha.subtract_alibi %x, %slopes, %t : !s, !rows
  %l = fmha.to_lanes %y : !s -> vector<16xf32>
}
