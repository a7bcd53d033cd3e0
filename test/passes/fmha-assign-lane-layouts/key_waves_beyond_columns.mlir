// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// O has two fragments of 16 columns for four waves: two have the same.
// CHECK: #[[MERGED:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[}}[0, 16], [0, 0]]>
// CHECK: fmha.merge_waves {{.*}} -> !fmha.tile<16x32xf32, cols = 24, #[[MERGED]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 24, head_dim_v = 24, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 4,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
!o = !fmha.tile<16x32xf32, cols = 24>
!row = !fmha.tile<16xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%factor: f32):
  %m = fmha.init 0.0 : !row
  %o = fmha.init 0.0 : !o
  %om, %mm, %lm = fmha.merge_waves %o, %m, %m by %factor wide : !o, !row -> !o
}
