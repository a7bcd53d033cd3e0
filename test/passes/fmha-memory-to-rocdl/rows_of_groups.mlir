// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// The slice begins at the first head of the group and ends with the last row of its last head.
// A lane's row r lies r / G rows and r % G heads further, and, beyond n G rows, past every extent:
// other heads' rows may lie there.
// CHECK: fmha.kernel
// CHECK: %[[ID:.*]] = fmha.id head : i32
// CHECK: %[[KV:.*]] = arith.extui %[[ID]] : i32 to i64
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[G64:.*]] = arith.extui %[[G]] : i32 to i64
// CHECK: %[[HEAD:.*]] = arith.muli %[[KV]], %[[G64]] : i64
// CHECK: %[[HS:.*]] = fmha.arg q_head_stride : i64
// CHECK: arith.muli %[[HEAD]], %[[HS]] : i64
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[OTHERS:.*]] = arith.subi %[[G]], %{{.*}} : i32
// CHECK: %[[O64:.*]] = arith.extui %[[OTHERS]] : i32 to i64
// CHECK: %[[HS:.*]] = fmha.arg q_head_stride : i64
// CHECK: %[[OTHER:.*]] = arith.muli %[[O64]], %[[HS]] : i64
// CHECK: arith.addi %[[OTHER]], %{{.*}} : i64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[Q:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[QG:.*]] = arith.muli %[[Q]], %[[G]] : i32
// CHECK: %[[MEMBER:.*]] = arith.subi %[[R:.*]], %[[QG]] : i32
// CHECK: %[[OFHEAD:.*]] = arith.muli %[[MEMBER]], %{{.*}} : i32
// CHECK: %[[OFROW:.*]] = arith.muli %[[Q]], %{{.*}} : i32
// CHECK: %[[PLACE:.*]] = arith.addi %[[OFROW]], %[[OFHEAD]] : i32
// CHECK: %[[OFFSET:.*]] = arith.addi %[[PLACE]], %{{.*}} : i32
// CHECK: %[[N:.*]] = fmha.seq_len q : i32
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[N]], %[[G]] : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[R]], %[[ALL]] : i32
// CHECK: %[[PAST:.*]] = arith.constant -4096 : i32
// CHECK: %[[OWN:.*]] = arith.select %[[IN]], %[[OFFSET]], %[[PAST]] : i32
// CHECK: %[[AT:.*]] = arith.addi %[[OWN]], %{{.*}} : i32
// CHECK: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[AT]], %[[NONE]], %{{.*}} : vector<4xi32>
//
// A sink is the head's alone: G f32 from that of the first head on.
// CHECK: fmha.arg sink : i64
// CHECK: %[[SINKS:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[FOUR:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %[[FOUR]] : i32
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %[[OFFSET]], %{{.*}} : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[SINKS]], %[[OWN]], %{{.*}}, %{{.*}} : f32
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, sink = true>
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
// Q of 32x32x16, an operand: lane c + 32h holds row c and columns 8h.
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
!q = !fmha.tile<64x32xbf16, #q>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %view = fmha.view q : !fmha.view<32, bf16>
  %q = fmha.load_q %view : !fmha.view<32, bf16> -> !q
  %sinks = fmha.view sink : !fmha.view<1, f32>
  %f = fmha.load_factors %sinks : !fmha.view<1, f32> -> !rows
  %l:2 = fmha.to_lanes %q : !q -> vector<8xbf16>, vector<8xbf16>
  %m = fmha.to_lanes %f : !rows -> vector<1xf32>
}
