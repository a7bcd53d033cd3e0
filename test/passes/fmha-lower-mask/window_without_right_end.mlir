// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-mask | FileCheck %s

// Unbounded on the right every key to the end is seen, after d - 5: the limit is Sk and
// no row takes part in it.
// CHECK: fmha.kernel
// CHECK: %[[KEYS:.*]] = fmha.seq_len kv : i32
// CHECK-NEXT: vector.from_elements %[[KEYS]] : vector<1xi32>
// CHECK: %[[M5:.*]] = arith.constant -5 : i32
// CHECK: arith.addi %{{.*}}, %[[M5]] : i32
// CHECK: arith.maxsi
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK-NEXT: arith.cmpi slt, %[[SK]], %{{.*}} : i32
// CHECK: arith.ori
// CHECK-NOT: arith.minsi

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_left = 5>
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
