// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// 24 of 32 columns are O. After the swap of halves, half h stores 8 columns from
// column 8h on, and again from 16 + 8h on: of the second store only half 0 is inside,
// 8h < 24 - 16. The other's offset is past every extent, 0xFFFFFFF0 = -16.
// CHECK-LABEL: fmha.kernel @k_bf16
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[LANE:.*]] = arith.addi
// CHECK: rocdl.permlane32.swap
// CHECK-NOT: arith.select
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[OFF:.*]] = arith.addi %{{.*}}, %[[C32]] : i32
// CHECK: %[[LEFT:.*]] = arith.constant 8 : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[COL]], %[[LEFT]] : i32
// CHECK: %[[PAST:.*]] = arith.constant -16 : i32
// CHECK: %[[AT:.*]] = arith.select %[[IN]], %[[OFF]], %[[PAST]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[AT]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: rocdl.raw.ptr.buffer.store
//
// f32: both halves of 8 columns are inside or outside. 24 / 8 = 3 stores, none guarded.
// CHECK-LABEL: fmha.kernel @k_f32
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: arith.select
// CHECK-COUNT-3: rocdl.raw.ptr.buffer.store
// CHECK-NOT: rocdl.raw.ptr.buffer.store

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 24, head_dim_v = 24, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
fmha.kernel @k_bf16 problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, cols = 24, #o>):
  %view = fmha.view o : !fmha.view<24, bf16>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, cols = 24, #o>, !fmha.view<24, bf16>
}
fmha.kernel @k_f32 problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, cols = 24, #o>):
  %view = fmha.view o : !fmha.view<24, f32>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, cols = 24, #o>, !fmha.view<24, f32>
}
