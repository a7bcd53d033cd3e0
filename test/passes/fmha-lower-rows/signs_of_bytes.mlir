// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-rows | FileCheck %s

// A negative factor flips bits 7, 15, 23 and 31 of each word of four elements of 8 bits:
// 0x80808080, as a signed number -2139062144.
// CHECK: %[[NEG:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK-DAG: %[[SIGNS:.*]] = arith.constant -2139062144 : i32
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK: %[[FLIP:.*]] = arith.select %[[NEG]], %[[SIGNS]], %[[NONE]] : i32
// CHECK: arith.xori %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK-NOT: arith.xori
// CHECK-NOT: fmha.apply_sign
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xf8E4M3FN, #q>, %scale: f32):
  %0 = fmha.apply_sign %q, %scale : !fmha.tile<32x64xf8E4M3FN, #q>
  %1 = fmha.to_lanes %0 : !fmha.tile<32x64xf8E4M3FN, #q> -> vector<32xi8>
}
