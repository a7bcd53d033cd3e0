// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// P of 64 keys is four fragments, B operands of 32x32x16, chained onto l; A is ones.
// CHECK: %[[A:.*]] = arith.constant dense<1.000000e+00> : vector<8xbf16>
// CHECK: %[[L:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK: %[[P:.*]]:4 = fmha.to_lanes
// CHECK: %[[S0:.*]] = amdgpu.mfma 32x32x16 %[[A]] * %[[P]]#0 + %[[L]]
// CHECK: %[[S1:.*]] = amdgpu.mfma 32x32x16 %[[A]] * %[[P]]#1 + %[[S0]]
// CHECK: %[[S2:.*]] = amdgpu.mfma 32x32x16 %[[A]] * %[[P]]#2 + %[[S1]]
// CHECK: %[[S3:.*]] = amdgpu.mfma 32x32x16 %[[A]] * %[[P]]#3 + %[[S2]]
// CHECK-NOT: fmha.matrix_sum

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 32, n = 32, k = 16>, pipeline = <stages = [<@all compute [qk]>]>>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// Rows in lanes 0 to 31, again in 32 to 63. Sums of a 32x32x16 product: every register of a
// lane has its row.
#sums = #fmha.lane_layout<fragment = 16, reg = [[0], [0], [0], [0]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16, #p>, %l: !fmha.tile<32xf32, #sums>):
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xbf16, #p>, !fmha.tile<32xf32, #sums>
  %1 = fmha.to_lanes %0 : !fmha.tile<32xf32, #sums> -> vector<16xf32>
}
