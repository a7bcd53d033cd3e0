// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// Each of the two results starts from what is given, which is one of them, and not from
// zero.
// CHECK: fmha.kernel
// CHECK-NOT: arith.constant
// CHECK: %[[BASE:.*]] = fmha.to_lanes %{{.*}} : !fmha.tile<32x32xf32, {{.*}}> -> vector<16xf32>
// CHECK: %[[A0:.*]] = amdgpu.mfma 32x32x16 %{{.*}}#0 * %{{.*}}#0 + %[[BASE]]
// CHECK: amdgpu.mfma 32x32x16 %{{.*}}#1 * %{{.*}}#1 + %[[A0]]
// CHECK: %[[BASE1:.*]] = fmha.to_lanes %{{.*}} : !fmha.tile<32x32xf32, {{.*}}> -> vector<16xf32>
// CHECK: %[[B0:.*]] = amdgpu.mfma 32x32x16 %{{.*}}#2 * %{{.*}}#0 + %[[BASE1]]
// CHECK: amdgpu.mfma 32x32x16 %{{.*}}#3 * %{{.*}}#1 + %[[B0]]
// CHECK-NOT: amdgpu.mfma

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#base = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
!q = !fmha.tile<32x32xbf16, #q>
!k = !fmha.tile<64x32xbf16, #k>
!base = !fmha.tile<32x32xf32, #base>
!s = !fmha.tile<32x64xf32, #s>
!p = !fmha.tile<32x64xbf16, #p>
!v = !fmha.tile<64x64xbf16, #v>
!o = !fmha.tile<32x64xf32, #s>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %k: !k, %base: !base):
  %s = fmha.product k %q, %k from %base : !base : !q, !k -> !s
  %0:2 = fmha.to_lanes %s : !s -> vector<16xf32>, vector<16xf32>
}
