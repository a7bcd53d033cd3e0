// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// f32 rows, 4 bytes each, one after the other: Sq rows end with (Sq - 1) * 4 + 4.
// CHECK: fmha.kernel
// CHECK: fmha.arg lse_batch_stride : i64
// CHECK: fmha.arg lse : i64
// CHECK: fmha.arg lse_head_stride : i64
// CHECK: fmha.seq_len q : i32
// CHECK: %[[C4:.*]] = arith.constant 4 : i64
// CHECK: %[[REST:.*]] = arith.muli %{{.*}}, %[[C4]] : i64
// CHECK: %[[C4B:.*]] = arith.constant 4 : i64
// CHECK: arith.addi %[[REST]], %[[C4B]] : i64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci
//
// Lanes c and c + 32 hold row c of the wave: lane bit 5 tells them apart, and the
// lane with it clear stores. The others' offset is past every extent.
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: %[[C:.*]] = arith.andi %{{.*}}, %[[C31]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %[[C]], %[[STRIDE]] : i32
// CHECK: %[[LANE:.*]] = fmha.id lane : i32
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[BIT:.*]] = arith.andi %[[LANE]], %[[C32]] : i32
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[OWN:.*]] = arith.cmpi eq, %[[BIT]], %[[ZERO]] : i32
// CHECK: %[[PAST:.*]] = arith.constant -16 : i32
// CHECK: %[[OFF:.*]] = arith.select %[[OWN]], %[[ROWB]], %[[PAST]] : i32
//
// Row 64 * q_tile + 32 * wave is uniform.
// CHECK: %[[M:.*]] = arith.constant 64 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[M]] : i32
// CHECK: %[[W:.*]] = arith.constant 32 : i32
// CHECK: %[[WROW:.*]] = arith.muli %{{.*}}, %[[W]] : i32
// CHECK: %[[R:.*]] = arith.addi %[[FIRST]], %[[WROW]] : i32
// CHECK: %[[R0:.*]] = arith.addi %[[R]], %{{.*}} : i32
// CHECK: %[[U:.*]] = arith.muli %[[R0]], %[[STRIDE]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF]], %[[U]], %{{.*}} : f32
// CHECK-NOT: rocdl.raw.ptr.buffer.store
// CHECK-NOT: fmha.store_lse
// CHECK-NOT: fmha.view

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !row):
  %view = fmha.view lse : !fmha.view<1, f32>
  fmha.store_lse %x, %view : !row, !fmha.view<1, f32>
}
