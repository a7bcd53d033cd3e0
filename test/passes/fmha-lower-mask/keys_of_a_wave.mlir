// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// Two waves divide a tile of 64 keys: wave w has those from 64 * index + 32 * w on, to 32 further. It looks at
// its keys only if the limit of its first row lies in them.
// CHECK: %[[N:.*]] = arith.constant 64 : i32
// CHECK: %[[KEY0:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[WAVE:.*]] = fmha.id wave : i32
// CHECK: %[[OF:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[FIRST:.*]] = arith.addi %[[KEY0]], %[[OF]] : i32
// CHECK: %[[HALF:.*]] = arith.constant 32 : i32
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[HALF]] : i32
// CHECK: arith.cmpi slt, %{{.*}}, %[[END]] : i32
// CHECK: scf.if
// CHECK: arith.subi %{{.*}}, %[[FIRST]] : i32

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 32]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = [[0]]>
!s = !fmha.tile<16x64xf32, #s>
!limit = !fmha.tile<16xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %limit = fmha.key_limit : !limit
  %x = fmha.mask %s, %limit, %t : !s, !limit
  %l:2 = fmha.to_lanes %x : !s -> vector<4xf32>, vector<4xf32>
}
