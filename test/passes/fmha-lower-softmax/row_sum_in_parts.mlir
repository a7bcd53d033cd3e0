// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// The first quarter of 16 weights by themselves: 3 additions. The rest, 11, on top of that
// and of the sum so far: 2 more.
// CHECK: fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: arith.addf
// CHECK: fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK-COUNT-11: arith.addf
// CHECK: %[[WITH:.*]] = arith.addf
// CHECK-NEXT: arith.addf %{{.*}}, %[[WITH]]
// CHECK-NOT: arith.addf

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
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
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !s, %y: !s, %l: !row):
  %0 = fmha.row_sum %x part <0 to 1 of 4> : !s -> !row
  %1 = fmha.row_sum %y to %l : !row part <1 to 4 of 4> onto %0 : !row : !s -> !row
  %2 = fmha.to_lanes %1 : !row -> vector<1xf32>
}
