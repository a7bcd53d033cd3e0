// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Of a 16x16x32 product a row lies in four lanes, which differ in bits 4 and 5.
// CHECK: rocdl.permlane16.swap
// CHECK: arith.addf
// CHECK: rocdl.permlane32.swap
// CHECK: arith.addf
// CHECK-NOT: rocdl.permlane

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = []>
!row = !fmha.tile<16xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !row):
  %0 = fmha.combine_rows %l : !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
}
