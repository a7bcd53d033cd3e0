// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// 40 of 64 columns: ceil(40 / 16) = 3 of the 4 steps of QK have data.
// CHECK: fmha.kernel
// CHECK-COUNT-3: amdgpu.mfma
// CHECK-NOT: amdgpu.mfma
// CHECK: fmha.from_lanes
//
// PV into 72 of 128 columns: ceil(72 / 32) = 3 of the 4 chunks of O, each the sum over
// 32 keys, 2 steps of 16.
// CHECK-COUNT-6: amdgpu.mfma
// CHECK-NOT: amdgpu.mfma
// CHECK: fmha.from_lanes %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32>, vector<16xf32> -> !fmha.tile<64x128xf32, cols = 72, #{{.*}}>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!q = !fmha.tile<64x64xbf16, cols = 40, #q>
!k = !fmha.tile<32x64xbf16, cols = 40, #k>
!s = !fmha.tile<64x32xf32, #s>
!p = !fmha.tile<64x32xbf16, #p>
!v = !fmha.tile<32x128xbf16, cols = 72, #v>
!o = !fmha.tile<64x128xf32, cols = 72, #o>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %k: !k, %p: !p, %v: !v, %o: !o):
  %s = fmha.product k %q, %k : !q, !k -> !s
  %0 = fmha.to_lanes %s : !s -> vector<16xf32>
  %1 = fmha.product v %p, %v onto %o : !o : !p, !v -> !o
  %2:3 = fmha.to_lanes %1 : !o -> vector<16xf32>, vector<16xf32>, vector<16xf32>
}
