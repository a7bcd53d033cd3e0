// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// Without a mask every row sees Sk keys: only the last tile can be cut, where
// Sk < 32 * index + 32. No row, no lane is in that test.
// CHECK: fmha.kernel
// CHECK-NOT: fmha.seq_len q
// CHECK: %[[LIMIT:.*]] = fmha.seq_len kv : i32
// CHECK: vector.from_elements %[[LIMIT]] : vector<1xi32>
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[KEY0:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[END:.*]] = arith.addi %[[KEY0]], %[[N]] : i32
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[CUT:.*]] = arith.cmpi slt, %[[SK]], %[[END]] : i32
// CHECK: scf.if %[[CUT]]
// CHECK-COUNT-16: arith.select
// CHECK-NOT: arith.select
// CHECK: scf.yield

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c of its wave, register r
// key 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!p = !fmha.tile<64x32xbf16, #p>
!row = !fmha.tile<64xf32, #rows>
!limit = !fmha.tile<64xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %limit = fmha.key_limit : !limit
  %x = fmha.mask %s, %limit, %t : !s, !limit
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
