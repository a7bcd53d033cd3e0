// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// With d = i + Sk - Sq, row i sees keys d - 5 <= j <= d + 3: j < min(d + 4, Sk) and
// j >= max(d - 5, 0).
// CHECK: fmha.kernel
// CHECK: %[[KEYS:.*]] = fmha.seq_len kv : i32
// CHECK: %[[ASK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[ASQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[ADELTA:.*]] = arith.subi %[[ASK]], %[[ASQ]] : i32
// CHECK: %[[AD:.*]] = arith.addi %{{.*}}, %[[ADELTA]] : i32
// CHECK: %[[A4:.*]] = arith.constant 4 : i32
// CHECK: %[[AE:.*]] = arith.addi %[[AD]], %[[A4]] : i32
// CHECK: %[[LIMIT:.*]] = arith.minsi %[[AE]], %[[KEYS]] : i32
// CHECK: vector.from_elements %[[LIMIT]] : vector<1xi32>
// CHECK: %[[BSK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[BSQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[BDELTA:.*]] = arith.subi %[[BSK]], %[[BSQ]] : i32
// CHECK: %[[BD:.*]] = arith.addi %{{.*}}, %[[BDELTA]] : i32
// CHECK: %[[BZ:.*]] = arith.constant 0 : i32
// CHECK: %[[B5:.*]] = arith.constant -5 : i32
// CHECK: %[[BF:.*]] = arith.addi %[[BD]], %[[B5]] : i32
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[BF]], %[[BZ]] : i32
// CHECK: vector.from_elements %[[FIRST]] : vector<1xi32>
//
// The tile's keys are 32 * index to 32 * index + 31. The branch: the wave's first row
// sees the fewest at the end, its last, row 31 of it, the fewest at the start.
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[KEY0:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[TEND:.*]] = arith.addi %[[KEY0]], %[[N]] : i32
// CHECK-NOT: fmha.id lane
// CHECK: %[[WROW:.*]] = arith.addi
// CHECK: %[[LEAST:.*]] = arith.minsi
// CHECK: %[[CUTEND:.*]] = arith.cmpi slt, %[[LEAST]], %[[TEND]] : i32
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[WROW]], %[[C31]] : i32
// CHECK: arith.addi %[[LAST]], %{{.*}} : i32
// CHECK-NOT: fmha.id lane
// CHECK: %[[MOST:.*]] = arith.maxsi
// CHECK: %[[CUTFIRST:.*]] = arith.cmpi sgt, %[[MOST]], %[[KEY0]] : i32
// CHECK: %[[CUT:.*]] = arith.ori %[[CUTEND]], %[[CUTFIRST]] : i1
//
// Both ends counted from the lane's first key, 32 * index + 4h, the part of the lane
// before the branch; register 5 is key 8 * (5 / 4) + 5 % 4 = 9 past it.
// CHECK: %[[H4:.*]] = arith.muli
// CHECK: %[[OWNEND:.*]] = arith.subi %{{.*}}, %[[H4]] : i32
// CHECK: %[[OWNFIRST:.*]] = arith.subi %{{.*}}, %[[H4]] : i32
// CHECK: scf.if %[[CUT]] -> (vector<16xf32>) {
// CHECK: %[[LEFT:.*]] = arith.subi %[[OWNEND]], %[[KEY0]] : i32
// CHECK: %[[FROM:.*]] = arith.subi %[[OWNFIRST]], %[[KEY0]] : i32
// CHECK: %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[C9:.*]] = arith.constant 9 : i32
// CHECK: %[[EARLY:.*]] = arith.cmpi slt, %[[C9]], %[[LEFT]] : i32
// CHECK: %[[LATE:.*]] = arith.cmpi sge, %[[C9]], %[[FROM]] : i32
// CHECK: %[[SEEN:.*]] = arith.andi %[[EARLY]], %[[LATE]] : i1
// CHECK: arith.select %[[SEEN]], %{{.*}}, %[[INF]] : f32
// CHECK-COUNT-10: arith.select
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK-NOT: {{fmha.(mask|key_limit|key_first)}}

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_left = 5, window_right = 3>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c of its wave, register r
// key 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!limit = !fmha.tile<64xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %limit = fmha.key_limit : !limit
  %first = fmha.key_first : !limit
  %x = fmha.mask %s, %limit, %t from %first : !limit : !s, !limit
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
