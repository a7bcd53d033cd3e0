// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax -split-input-file | FileCheck %s

// The lift of 2^8 is added to the shift of the row, once, and each score is one fma with it.
// CHECK-LABEL: fmha.kernel @narrow
// CHECK: %[[LIFT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK: %[[SHIFT:.*]] = arith.addf %{{.*}}, %[[LIFT]] : f32
// CHECK-COUNT-16: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[SHIFT]])
// CHECK-NOT: {{llvm.intr.fma|arith.addf}}

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!p = !fmha.tile<32x32xbf16, #p>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @narrow problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %shift: !row, %factor: f32):
  %0 = fmha.subtract %s, %shift, %factor lift 8 : !s, !row
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}

// -----

// Differences may be as large as scores: the lift comes after them, in the product with the
// factor.
// CHECK-LABEL: fmha.kernel @wide
// CHECK: %[[LIFT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK: %[[D:.*]] = arith.addf %{{.*}}, %[[SHIFT:.*]] : f32
// CHECK-NEXT: llvm.intr.fma(%[[D]], %[[FACTOR:.*]], %[[LIFT]])
// CHECK-COUNT-15: llvm.intr.fma(%{{.*}}, %[[FACTOR]], %[[LIFT]])
// CHECK-NOT: {{llvm.intr.fma|arith.mulf}}

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!p = !fmha.tile<32x32xbf16, #p>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @wide problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %shift: !row, %factor: f32):
  %0 = fmha.subtract %s, %shift, %factor wide lift 8 : !s, !row
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}
