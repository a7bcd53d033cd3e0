// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// Both results for the first step of the contracted index, then both for the second: an
// instruction does not wait for the one before it.
// CHECK: fmha.kernel
// CHECK: %[[K:.*]]:4 = fmha.to_lanes
// CHECK: %[[Q:.*]]:2 = fmha.to_lanes
// CHECK: %[[A0:.*]] = amdgpu.mfma 32x32x16 %[[K]]#0 * %[[Q]]#0 + %{{.*}}
// CHECK: %[[B0:.*]] = amdgpu.mfma 32x32x16 %[[K]]#2 * %[[Q]]#0 + %{{.*}}
// CHECK-NEXT: %[[A1:.*]] = amdgpu.mfma 32x32x16 %[[K]]#1 * %[[Q]]#1 + %[[A0]]
// CHECK-NEXT: %[[B1:.*]] = amdgpu.mfma 32x32x16 %[[K]]#3 * %[[Q]]#1 + %[[B0]]
// CHECK: fmha.from_lanes %[[A1]], %[[B1]]
// Two chunks of O, four steps of 16 keys. V has steps in bits 0 and 1, chunks in bit 2.
// CHECK: %[[V:.*]]:8 = fmha.to_lanes
// CHECK: %[[P:.*]]:4 = fmha.to_lanes
// CHECK: %[[O:.*]]:2 = fmha.to_lanes
// CHECK: %[[C0:.*]] = amdgpu.mfma 32x32x16 %[[V]]#0 * %[[P]]#0 + %[[O]]#0
// CHECK-NEXT: %[[D0:.*]] = amdgpu.mfma 32x32x16 %[[V]]#4 * %[[P]]#0 + %[[O]]#1
// CHECK-NEXT: %[[C1:.*]] = amdgpu.mfma 32x32x16 %[[V]]#1 * %[[P]]#1 + %[[C0]]
// CHECK-NEXT: %[[D1:.*]] = amdgpu.mfma 32x32x16 %[[V]]#5 * %[[P]]#1 + %[[D0]]
// CHECK-COUNT-4: amdgpu.mfma
// CHECK-NOT: amdgpu.mfma

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16, walk = contraction>, pv = <m = 32, n = 32, k = 16, walk = contraction>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
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
^bb0(%q: !q, %k: !k, %p: !p, %v: !v, %o: !o):
  %s = fmha.qk %q, %k : !q, !k -> !s
  %0:2 = fmha.to_lanes %s : !s -> vector<16xf32>, vector<16xf32>
  %1 = fmha.pv %p, %v, %o : !p, !v, !o
  %2:2 = fmha.to_lanes %1 : !o -> vector<16xf32>, vector<16xf32>
}
