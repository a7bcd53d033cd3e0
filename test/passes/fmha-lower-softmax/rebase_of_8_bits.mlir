// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// With lazy_log2 = 2 weights of 8 bits are lifted by 2^6, and 448 = 2^8.807 is the greatest: the limit of a
// row is what is left, not 2.
// CHECK: arith.cmpf ogt
// CHECK: %[[LEFT:.*]] = arith.constant 2.807{{0*}}e+00 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LEFT]] : f32

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %base: !s, %limit: !row, %m: !row):
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !s, !s, !row
  %0 = fmha.to_lanes %s1 : !s -> vector<16xf32>
  %1 = fmha.to_lanes %base1 : !s -> vector<16xf32>
  %2 = fmha.to_lanes %limit1 : !row -> vector<1xf32>
  %3 = fmha.to_lanes %m1 : !row -> vector<1xf32>
  %4 = fmha.to_lanes %c : !row -> vector<1xf32>
  %5 = arith.extui %any : i1 to i32
}
