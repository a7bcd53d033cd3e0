// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-score-mod | FileCheck %s

// What is the same for every score is computed once, outside; a body that yields it
// needs no op of its own.
// CHECK: ^bb0(%{{.*}}: !fmha.tile<64x32xf32, #{{.*}}>, %{{.*}}: i32, %[[F:.*]]: f32):
// CHECK-NOT: arith.mulf
// CHECK: vector.from_elements %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]], %[[F]] : vector<16xf32>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c of its wave, register r
// key 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!s = !fmha.tile<64x32xf32, #s>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32, %f: f32):
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    fmha.yield %f : f32
  } : !s
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
