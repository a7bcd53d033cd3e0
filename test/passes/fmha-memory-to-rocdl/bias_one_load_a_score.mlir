// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// One f32 for each row and key, rows of Sk keys: the slice ends with
// (Sq - 1) * row stride + Sk * 4 bytes.
// CHECK: fmha.kernel
// CHECK: fmha.arg bias_batch_stride : i64
// CHECK: fmha.arg bias : i64
// CHECK-NOT: kv_head_reciprocal
// CHECK: fmha.arg bias_head_stride : i64
// CHECK: fmha.seq_len q : i32
// CHECK: %[[RS:.*]] = fmha.arg bias_row_stride : i64
// CHECK: %[[ROWS:.*]] = arith.muli %{{.*}}, %[[RS]] : i64
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[SK64:.*]] = arith.extui %[[SK]] : i32 to i64
// CHECK: %[[C4L:.*]] = arith.constant 4 : i64
// CHECK: %[[LASTROW:.*]] = arith.muli %[[SK64]], %[[C4L]] : i64
// CHECK: arith.addi %[[ROWS]], %[[LASTROW]] : i64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
//
// Lane c + 32h: row c and key 4h, byte c * stride + 16h.
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: %[[C:.*]] = arith.andi %{{.*}}, %[[C31]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %[[C]], %[[STRIDE]] : i32
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[KEY:.*]] = arith.muli %{{.*}}, %[[C4]] : i32
// CHECK: %[[B4:.*]] = arith.constant 4 : i32
// CHECK: %[[KEYB:.*]] = arith.muli %[[KEY]], %[[B4]] : i32
// CHECK: %[[LANE:.*]] = arith.addi %[[ROWB]], %[[KEYB]] : i32
//
// Uniform: row 64 * q_tile + 32 * wave, key 32 * index.
// CHECK: %[[M:.*]] = arith.constant 64 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[M]] : i32
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %{{.*}} : i32
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[K0:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[K1:.*]] = arith.addi %[[K0]], %{{.*}} : i32
// CHECK: %[[S0:.*]] = vector.extract %{{.*}}[0]
//
// Register r is key 8*(r/4) + r%4, 4 bytes each.
// CHECK: %[[A:.*]] = arith.constant 0 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: %[[R0:.*]] = arith.addi %[[ROW]], %{{.*}} : i32
// CHECK: %[[RB:.*]] = arith.muli %[[R0]], %[[STRIDE]] : i32
// CHECK: %[[KB:.*]] = arith.muli %[[K1]], %{{.*}} : i32
// CHECK: %[[U:.*]] = arith.addi %[[RB]], %[[KB]] : i32
// CHECK: %[[BIAS:.*]] = rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %[[U]], %{{.*}} : f32
// CHECK: arith.addf %[[S0]], %[[BIAS]] : f32
// CHECK: %[[A:.*]] = arith.constant 4 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 8 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 12 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 32 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 36 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 40 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 44 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 64 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 68 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 72 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 76 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 96 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 100 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 104 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.constant 108 : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %[[A]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK-NOT: {{fmha.(add_bias|view)}}

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, bias = true>
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
^bb0(%s: !s, %t: i32):
  %view = fmha.view bias : !fmha.view<32, f32>
  %x = fmha.add_bias %s, %view, %t : !s, !fmha.view<32, f32>
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
