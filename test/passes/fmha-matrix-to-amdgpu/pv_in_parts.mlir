// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// Eight instructions, four for each chunk of 32 columns of O. The first quarter is two of
// the first chunk's; the other chunk is passed on as it came.
// CHECK: fmha.kernel
// CHECK: %[[O:.*]]:2 = fmha.to_lanes
// CHECK: %[[C0:.*]] = amdgpu.mfma 32x32x16 %{{.*}}#0 * %{{.*}}#0 + %[[O]]#0
// CHECK: %[[C1:.*]] = amdgpu.mfma 32x32x16 %{{.*}}#1 * %{{.*}}#1 + %[[C0]]
// CHECK-NOT: amdgpu.mfma
// CHECK: fmha.from_lanes %[[C1]], %[[O]]#1

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
^bb0(%p: !p, %v: !v, %o: !o):
  %1 = fmha.product v %p, %v part <0 to 1 of 4> onto %o : !o : !p, !v -> !o
  %2:2 = fmha.to_lanes %1 : !o -> vector<16xf32>, vector<16xf32>
}
