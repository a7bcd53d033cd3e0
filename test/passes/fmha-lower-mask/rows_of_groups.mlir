// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// Row r of a tile sees what row r / G of Q sees: that of the wave's first row decides whether
// scores are tested, and that of the lane how far it sees.
// CHECK: fmha.kernel
// CHECK: %[[FIRST:.*]] = arith.addi
// CHECK: %[[LANE:.*]] = arith.addi %[[FIRST]], %{{.*}} : i32
// CHECK: %[[OWN:.*]] = arith.addi %[[LANE]], %{{.*}} : i32
// CHECK: %[[TWICE:.*]] = arith.shli %[[OWN]], %{{.*}} : i32
// CHECK: arith.extui %[[TWICE]] : i32 to i64
// CHECK: fmha.arg group_multiplier : i64
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[ROW:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[ON:.*]] = arith.addi %[[ROW]], %{{.*}} : i32
// CHECK: %[[LIMIT:.*]] = arith.addi %[[ON]], %{{.*}} : i32
// CHECK: arith.minsi %[[LIMIT]]
// CHECK: %[[WAVE:.*]] = arith.shli
// CHECK: arith.extui %[[WAVE]] : i32 to i64
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[WROW:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[WON:.*]] = arith.addi %[[WROW]], %{{.*}} : i32
// CHECK: scf.if
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
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
!limit = !fmha.tile<64xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %limit = fmha.key_limit : !limit
  %x = fmha.mask %s, %limit, %t : !s, !limit
}
