// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// The kinds of both operands choose the instruction, of which there is one for every pair of 8 bits.
// CHECK: amdgpu.mfma 32x32x16 %{{.*}} * %{{.*}} + %{{.*}} : vector<8xf8E5M2>, vector<8xf8E4M3FN>, vector<16xf32>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 16, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#op = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xf8E4M3FN, #op>, %k: !fmha.tile<32x16xf8E5M2, #op>):
  %s = fmha.product k %q, %k : !fmha.tile<32x16xf8E4M3FN, #op>, !fmha.tile<32x16xf8E5M2, #op> -> !fmha.tile<32x32xf32, #s>
}
