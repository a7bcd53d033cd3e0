// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-rows | FileCheck %s

// O of 72 of 128 columns is ceil(72 / 32) = 3 fragments of 16: 3 zeros to start with, 3
// multiplications to rescale, 3 to normalize.
// CHECK: fmha.kernel
// CHECK: fmha.from_lanes %[[Z:.*]], %[[Z]], %[[Z]] : vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK-COUNT-3: arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.mulf {{.*}} : vector<16xf32>
// CHECK: fmha.from_lanes %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK-COUNT-3: arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.mulf {{.*}} : vector<16xf32>
// CHECK: fmha.from_lanes %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32>, vector<16xf32>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
!o = !fmha.tile<64x128xf32, cols = 72, #o>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%c: !row):
  %0 = fmha.init 0.0 : !o
  %1 = fmha.rescale %0, %c : !o, !row
  %2 = fmha.normalize %1, %c : !o, !row
  %3:3 = fmha.to_lanes %2 : !o -> vector<16xf32>, vector<16xf32>, vector<16xf32>
}
