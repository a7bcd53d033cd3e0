// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-score-mod | FileCheck %s

// Row 64 * q_tile + 32 * wave + c, key 32 * index + 4h, for lane c + 32h.
// CHECK: fmha.kernel
// CHECK: %[[TILE:.*]] = fmha.id q_tile : i32
// CHECK: %[[M:.*]] = arith.constant 64 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %[[M]] : i32
// CHECK: %[[W32:.*]] = arith.constant 32 : i32
// CHECK: %[[WROW:.*]] = arith.muli %{{.*}}, %[[W32]] : i32
// CHECK: %[[R0:.*]] = arith.addi %[[FIRST]], %[[WROW]] : i32
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: %[[C:.*]] = arith.andi %{{.*}}, %[[C31]] : i32
// CHECK: %[[ROW:.*]] = arith.addi %[[R0]], %[[C]] : i32
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[K0:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[NOWAVE:.*]] = arith.constant 0 : i32
// CHECK: %[[K1:.*]] = arith.addi %[[K0]], %[[NOWAVE]] : i32
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[H4:.*]] = arith.muli %{{.*}}, %[[C4]] : i32
// CHECK: %[[KEY:.*]] = arith.addi %[[K1]], %[[H4]] : i32
// CHECK: %[[HEAD:.*]] = fmha.id head : i32
// CHECK: %[[BATCH:.*]] = fmha.id batch : i32
// CHECK: %[[S:.*]] = fmha.to_lanes
// CHECK: %[[S0:.*]] = vector.extract %[[S]][0]
// CHECK: %[[S15:.*]] = vector.extract %[[S]][15]
//
// The body stands once for each of the 16 scores of a lane: register r is the same
// row and key 8*(r/4) + r%4 more.
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW0:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 0 : i32
// CHECK: %[[KEY0:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW0]], %[[KEY0]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[X0:.*]] = arith.addf %[[S0]], %{{.*}} : f32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW1:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 1 : i32
// CHECK: %[[KEY1:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW1]], %[[KEY1]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW2:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 2 : i32
// CHECK: %[[KEY2:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW2]], %[[KEY2]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW3:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 3 : i32
// CHECK: %[[KEY3:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW3]], %[[KEY3]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW4:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 8 : i32
// CHECK: %[[KEY4:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW4]], %[[KEY4]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW5:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 9 : i32
// CHECK: %[[KEY5:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW5]], %[[KEY5]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW6:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 10 : i32
// CHECK: %[[KEY6:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW6]], %[[KEY6]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW7:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 11 : i32
// CHECK: %[[KEY7:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW7]], %[[KEY7]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW8:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 16 : i32
// CHECK: %[[KEY8:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW8]], %[[KEY8]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW9:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 17 : i32
// CHECK: %[[KEY9:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW9]], %[[KEY9]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW10:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 18 : i32
// CHECK: %[[KEY10:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW10]], %[[KEY10]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW11:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 19 : i32
// CHECK: %[[KEY11:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW11]], %[[KEY11]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW12:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 24 : i32
// CHECK: %[[KEY12:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW12]], %[[KEY12]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW13:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 25 : i32
// CHECK: %[[KEY13:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW13]], %[[KEY13]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW14:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 26 : i32
// CHECK: %[[KEY14:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW14]], %[[KEY14]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[RZ:.*]] = arith.constant 0 : i32
// CHECK: %[[ROW15:.*]] = arith.addi %[[ROW]], %[[RZ]] : i32
// CHECK: %[[KC:.*]] = arith.constant 27 : i32
// CHECK: %[[KEY15:.*]] = arith.addi %[[KEY]], %[[KC]] : i32
// CHECK: %[[D:.*]] = arith.subi %[[ROW15]], %[[KEY15]] : i32
// CHECK: arith.muli %[[D]], %[[HEAD]] : i32
// CHECK: arith.addi %{{.*}}, %[[BATCH]] : i32
// CHECK: %[[X15:.*]] = arith.addf %[[S15]], %{{.*}} : f32
// CHECK: vector.from_elements %[[X0]], {{.*}}, %[[X15]] : vector<16xf32>
// CHECK-NOT: fmha.score_mod
// CHECK-NOT: fmha.yield

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
^bb0(%s: !s, %t: i32):
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %d = arith.subi %row, %key : i32
    %e = arith.muli %d, %head : i32
    %f = arith.addi %e, %batch : i32
    %g = arith.sitofp %f : i32 to f32
    %y = arith.addf %score, %g : f32
    fmha.yield %y : f32
  } : !s
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
