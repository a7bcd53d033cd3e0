// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// 24 of 32 columns: lane c + 32h loads columns 8h to 8h + 7 and 16 + 8h to 23 + 8h. Of
// the second load half 1 is outside, 8h < 24 - 16 = 8 false, and reads past every extent,
// from where zeros come: 0xFFFFFFF0 = -16.
// CHECK-LABEL: fmha.kernel @some
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[F0:.*]] = rocdl.raw.ptr.buffer.load
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[OFF:.*]] = arith.addi %{{.*}}, %[[C32]] : i32
// CHECK: %[[LEFT:.*]] = arith.constant 8 : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[COL]], %[[LEFT]] : i32
// CHECK: %[[PAST:.*]] = arith.constant -16 : i32
// CHECK: %[[AT:.*]] = arith.select %[[IN]], %[[OFF]], %[[PAST]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %{{.*}}, %[[AT]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: rocdl.raw.ptr.buffer.load
//
// 16 of 32: the second step of 16 columns is not loaded.
// CHECK-LABEL: fmha.kernel @whole_step
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: arith.select
// CHECK: rocdl.raw.ptr.buffer.load
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK: fmha.from_lanes %{{[0-9]+}} : vector<8xbf16>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
fmha.kernel @some problem(#problem) schedule(#schedule) {
  %view = fmha.view q : !fmha.view<24, bf16>
  %q = fmha.load_q %view : !fmha.view<24, bf16> -> !fmha.tile<64x32xbf16, cols = 24, #q>
  %l:2 = fmha.to_lanes %q : !fmha.tile<64x32xbf16, cols = 24, #q> -> vector<8xbf16>, vector<8xbf16>
}
fmha.kernel @whole_step problem(#problem) schedule(#schedule) {
  %view = fmha.view q : !fmha.view<16, bf16>
  %q = fmha.load_q %view : !fmha.view<16, bf16> -> !fmha.tile<64x32xbf16, cols = 16, #q>
  %l = fmha.to_lanes %q : !fmha.tile<64x32xbf16, cols = 16, #q> -> vector<8xbf16>
}
