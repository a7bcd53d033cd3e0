// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// 16x16x32: a lane holds two rows, c and c + 32 (register bit 4 of S, bit 0 of the
// rows), each with a limit of its own. S in register order has the keys of the
// first row in registers 0..15, of the second in 16..31: keys
// 16*(r/4) + 4g + r%4, g from lane bits 4 and 5.
// CHECK: %[[O0:.*]] = arith.constant 0 : i32
// CHECK: arith.addi %[[ROW:.*]], %[[O0]] : i32
// CHECK: %[[LIMIT0:.*]] = arith.minsi
// CHECK: %[[O1:.*]] = arith.constant 32 : i32
// CHECK: arith.addi %[[ROW]], %[[O1]] : i32
// CHECK: %[[LIMIT1:.*]] = arith.minsi
// CHECK: vector.from_elements %[[LIMIT0]] : vector<1xi32>
// CHECK: vector.from_elements %[[LIMIT1]] : vector<1xi32>
// CHECK: %[[E0:.*]] = vector.extract
// CHECK: %[[E1:.*]] = vector.extract
// CHECK: %[[OWN0:.*]] = arith.subi %[[E0]], %[[COL:.*]] : i32
// CHECK: %[[OWN1:.*]] = arith.subi %[[E1]], %[[COL]] : i32
// CHECK: scf.if
// CHECK: %[[LEFT0:.*]] = arith.subi %[[OWN0]], %[[KEY:.*]] : i32
// CHECK: %[[LEFT1:.*]] = arith.subi %[[OWN1]], %[[KEY]] : i32
// CHECK-COUNT-16: arith.cmpi slt, %{{.*}}, %[[LEFT0]] : i32
// CHECK-COUNT-16: arith.cmpi slt, %{{.*}}, %[[LEFT1]] : i32
// CHECK-NOT: arith.cmpi

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[1], [2], [4], [8], [0], [0]], wave = [[16]]>
!s = !fmha.tile<64x64xf32, #s>
!limit = !fmha.tile<64xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %limit = fmha.key_limit : !limit
  %x = fmha.mask %s, %limit, %t : !s, !limit
}
