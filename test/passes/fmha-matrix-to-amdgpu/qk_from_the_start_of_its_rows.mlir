// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// A wave has 64 rows, two blocks of 32: the products of each start from what its own rows
// start from, for both blocks of keys.
// CHECK: fmha.kernel
// CHECK: %[[B:.*]]:2 = fmha.to_lanes %arg2
// CHECK: amdgpu.mfma 32x32x16 {{.*}} + %[[B]]#0
// CHECK: %[[C:.*]]:2 = fmha.to_lanes %arg2
// CHECK: amdgpu.mfma 32x32x16 {{.*}} + %[[C]]#0
// CHECK: %[[D:.*]]:2 = fmha.to_lanes %arg2
// CHECK: amdgpu.mfma 32x32x16 {{.*}} + %[[D]]#1
// CHECK: %[[E:.*]]:2 = fmha.to_lanes %arg2
// CHECK: amdgpu.mfma 32x32x16 {{.*}} + %[[E]]#1

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#base = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!q = !fmha.tile<64x32xbf16, #q>
!k = !fmha.tile<64x32xbf16, #k>
!base = !fmha.tile<64x32xf32, #base>
!s = !fmha.tile<64x64xf32, #s>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %k: !k, %base: !base):
  %s = fmha.product k %q, %k from %base : !base : !q, !k -> !s
  %0:4 = fmha.to_lanes %s : !s -> vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
}
