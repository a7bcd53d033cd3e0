// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// Row i = 64 * q_tile + 32 * wave + c sees keys j < min(Sk, i + Sk - Sq + 1).
// CHECK: fmha.kernel
// CHECK: %[[TILE:.*]] = fmha.id q_tile : i32
// CHECK: %[[M:.*]] = arith.constant 64 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %[[M]] : i32
// CHECK: %[[WAVE:.*]] = fmha.id wave : i32
// CHECK: %[[WROW:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[R0:.*]] = arith.addi %[[FIRST]], %[[WROW]] : i32
// CHECK: %[[LANE:.*]] = fmha.id lane : i32
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: %[[C:.*]] = arith.andi %[[LANE]], %[[C31]] : i32
// CHECK: %[[R1:.*]] = arith.addi %[[R0]], %[[C]] : i32
// CHECK: %[[END:.*]] = fmha.seq_len kv : i32
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[SQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[DELTA:.*]] = arith.subi %[[SK]], %[[SQ]] : i32
// CHECK: %[[SEEN:.*]] = arith.addi %{{.*}}, %[[DELTA]] : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[LIMIT:.*]] = arith.addi %[[SEEN]], %[[ONE]] : i32
// CHECK: %[[OWN:.*]] = arith.minsi %[[LIMIT]], %[[END]] : i32
// CHECK: %[[VEC:.*]] = vector.from_elements %[[OWN]] : vector<1xi32>
//
// The tile of N = 32 keys ends at 32 * index + 32. The branch: the wave's first row
// sees the fewest keys; nothing of it depends on the lane.
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[KEY0:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[END:.*]] = arith.addi %[[KEY0]], %[[N]] : i32
// CHECK-NOT: fmha.id lane
// CHECK: %[[FEWEST:.*]] = arith.minsi
// CHECK-NOT: fmha.id lane
// CHECK: %[[CUT:.*]] = arith.cmpi slt, %[[FEWEST]], %[[END]] : i32
// CHECK: %[[S:.*]] = fmha.to_lanes
//
// The lane's first key is 32 * index + 4h. What of the limit does not depend on the tile
// is made before the branch.
// CHECK: %[[H4:.*]] = arith.muli
// CHECK: %[[OWN:.*]] = arith.subi %{{.*}}, %[[H4]] : i32
// CHECK: %[[MASKED:.*]] = scf.if %[[CUT]] -> (vector<16xf32>) {
// CHECK: %[[LEFT:.*]] = arith.subi %[[OWN]], %[[KEY0]] : i32
// CHECK: %[[INF:.*]] = arith.constant 0xFF800000 : f32
//
// Register r is key 8*(r/4) + r%4 past it: a constant against one value a row.
// CHECK-NOT: arith.subi
// CHECK: %[[K0:.*]] = arith.constant 0 : i32
// CHECK: %[[V0:.*]] = arith.cmpi slt, %[[K0]], %[[LEFT]] : i32
// CHECK: arith.select %[[V0]], %{{.*}}, %[[INF]] : f32
// CHECK: arith.constant 1 : i32
// CHECK: arith.cmpi slt, %{{.*}}, %[[LEFT]] : i32
// CHECK: arith.constant 2 : i32
// CHECK: arith.constant 3 : i32
// CHECK: arith.constant 8 : i32
// CHECK: arith.constant 9 : i32
// CHECK: arith.constant 10 : i32
// CHECK: arith.constant 11 : i32
// CHECK: arith.constant 16 : i32
// CHECK: arith.constant 17 : i32
// CHECK: arith.constant 18 : i32
// CHECK: arith.constant 19 : i32
// CHECK: arith.constant 24 : i32
// CHECK: arith.constant 25 : i32
// CHECK: arith.constant 26 : i32
// CHECK: arith.constant 27 : i32
// CHECK: arith.cmpi slt, %{{.*}}, %[[LEFT]] : i32
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield %{{.*}} : vector<16xf32>
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[S]] : vector<16xf32>
// CHECK: fmha.from_lanes %[[MASKED]]
// CHECK-NOT: fmha.mask
// CHECK-NOT: fmha.key_limit

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
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
