// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// LSE of a row lies at 4 q and the head stride of its head in the group; one lane of a row stores
// it, none past the last row.
// CHECK: fmha.kernel
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[Q:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[MEMBER:.*]] = arith.subi %[[R:.*]], %{{.*}} : i32
// CHECK: %[[OFHEAD:.*]] = arith.muli %[[MEMBER]], %{{.*}} : i32
// CHECK: %[[OFROW:.*]] = arith.muli %[[Q]], %{{.*}} : i32
// CHECK: %[[PLACE:.*]] = arith.addi %[[OFROW]], %[[OFHEAD]] : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[R]], %{{.*}} : i32
// CHECK: %[[OWN:.*]] = arith.select %[[IN]], %[[PLACE]], %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[AT:.*]] = arith.select %[[FIRST]], %[[OWN]], %{{.*}} : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[AT]], %{{.*}}, %{{.*}} : f32
//
// Rows of parts of keys lie as the tile has them, and there are n G.
// CHECK: fmha.kernel @parts
// CHECK: %[[N:.*]] = fmha.seq_len q : i32
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[N]], %[[G]] : i32
// CHECK: arith.subi %[[ALL]], %[[ROW:.*]] : i32
// CHECK-NOT: group_shift
// CHECK: rocdl.raw.ptr.buffer.store
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, lse = true>
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
^bb0(%lse: !rows):
  %view = fmha.view lse : !fmha.view<1, f32>
  fmha.store_lse %lse, %view : !rows, !fmha.view<1, f32>
}
#divided = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = list, parts = true>
fmha.kernel @parts problem(#divided) schedule(#schedule) {
  fmha.work list (%row, %head, %batch, %first, %end, %part) {
    %lse = fmha.init 0.0 : !rows
    %view = fmha.view part_lse : !fmha.view<1, f32>
    fmha.store_lse %lse, %view : !rows, !fmha.view<1, f32>
  }
}
