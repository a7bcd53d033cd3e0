// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Each lane reads 16 bytes of its row, lane c + 32h row c and column 8h: in memory
// c * stride + 8h * 2 bytes, in a register. Uniform in the wave and so in soffset:
// row 64 * q_tile + 32 * wave. The second step of columns is 16 * 2 = 32 bytes on.
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: %[[C:.*]] = arith.andi %{{.*}}, %[[C31]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %[[C]], %[[STRIDE]] : i32
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[C2]] : i32
// CHECK: %[[LANE:.*]] = arith.addi %[[ROWB]], %[[COLB]] : i32
// CHECK: %[[TILE:.*]] = fmha.id q_tile : i32
// CHECK: %[[M:.*]] = arith.constant 64 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %[[M]] : i32
// CHECK: fmha.id wave : i32
// CHECK: %[[W32:.*]] = arith.constant 32 : i32
// CHECK: %[[WROW:.*]] = arith.muli %{{.*}}, %[[W32]] : i32
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[WROW]] : i32
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: %[[OFF0:.*]] = arith.addi %[[LANE]], %[[Z]] : i32
// CHECK: %[[U0:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[B0:.*]] = rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF0]], %[[U0]], %{{.*}} : vector<4xi32>
// CHECK: %[[F0:.*]] = llvm.bitcast %[[B0]] : vector<4xi32> to vector<8xbf16>
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[OFF1:.*]] = arith.addi %[[LANE]], %[[C32]] : i32
// CHECK: %[[B1:.*]] = rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFF1]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: %[[F1:.*]] = llvm.bitcast %[[B1]] : vector<4xi32> to vector<8xbf16>
// CHECK: fmha.from_lanes %[[F0]], %[[F1]]
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK-NOT: arith.select
// CHECK-NOT: fmha.load_q

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %view = fmha.view q : !fmha.view<32, bf16>
  %q = fmha.load_q %view : !fmha.view<32, bf16> -> !fmha.tile<64x32xbf16, #q>
  %l:2 = fmha.to_lanes %q : !fmha.tile<64x32xbf16, #q> -> vector<8xbf16>, vector<8xbf16>
}
