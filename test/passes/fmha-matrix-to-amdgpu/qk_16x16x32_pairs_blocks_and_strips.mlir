// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// 16x16x32, a wave with 2 blocks of 16 rows and 4 strips of 16 keys: 8 results of one
// step each (Dqk = 32). Fragments of K: strip in bits 0 and 1. Of Q: block in bit 0.
// Of S: strip in bits 0 and 1, block in bit 2.
// CHECK: fmha.kernel
// CHECK: %[[K:.*]]:4 = fmha.to_lanes
// CHECK: %[[Q:.*]]:2 = fmha.to_lanes
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#0 * %[[Q]]#0 + %{{.*}} : vector<8xbf16>, vector<8xbf16>, vector<4xf32>
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#1 * %[[Q]]#0 +
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#2 * %[[Q]]#0 +
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#3 * %[[Q]]#0 +
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#0 * %[[Q]]#1 +
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#1 * %[[Q]]#1 +
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#2 * %[[Q]]#1 +
// CHECK: amdgpu.mfma 16x16x32 %[[K]]#3 * %[[Q]]#1 +
// CHECK-NOT: amdgpu.mfma

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[16, 0]]>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[0, 0]]>
#s = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<64x32xbf16, #q>, %k: !fmha.tile<64x32xbf16, #k>):
  %s = fmha.product k %q, %k : !fmha.tile<64x32xbf16, #q>, !fmha.tile<64x32xbf16, #k> -> !fmha.tile<64x64xf32, #s>
}
