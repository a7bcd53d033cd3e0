// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// S^T = K Q^T: K is operand A, Q is operand B. A wave has 32 rows of S and 64 keys:
// 1 * 2 results of 32 x 32, each the sum over Dqk / 16 = 2 steps. 4 instructions.
// Fragments of K: step of 16 columns in bit 0, strip of 32 keys in bit 1. Of Q: step
// in bit 0. Of S: strip in bit 0. A result starts from zero and chains through its
// steps.
// CHECK: fmha.kernel
// CHECK: %[[K:.*]]:4 = fmha.to_lanes %{{.*}} : !fmha.tile<64x32xbf16, #{{.*}}>
// CHECK: %[[Q:.*]]:2 = fmha.to_lanes %{{.*}} : !fmha.tile<64x32xbf16, #{{.*}}>
// CHECK: %[[Z0:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[A0:.*]] = amdgpu.mfma 32x32x16 %[[K]]#0 * %[[Q]]#0 + %[[Z0]]
// CHECK: %[[A1:.*]] = amdgpu.mfma 32x32x16 %[[K]]#1 * %[[Q]]#1 + %[[A0]]
// CHECK: %[[Z1:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[B0:.*]] = amdgpu.mfma 32x32x16 %[[K]]#2 * %[[Q]]#0 + %[[Z1]]
// CHECK: %[[B1:.*]] = amdgpu.mfma 32x32x16 %[[K]]#3 * %[[Q]]#1 + %[[B0]]
// CHECK-NOT: amdgpu.mfma
// CHECK: fmha.from_lanes %[[A1]], %[[B1]]
// CHECK-NOT: fmha.product k

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<64x32xbf16, #q>, %k: !fmha.tile<64x32xbf16, #k>):
  %s = fmha.product k %q, %k : !fmha.tile<64x32xbf16, #q>, !fmha.tile<64x32xbf16, #k> -> !fmha.tile<64x64xf32, #s>
  %l:2 = fmha.to_lanes %s : !fmha.tile<64x64xf32, #s> -> vector<16xf32>, vector<16xf32>
}
