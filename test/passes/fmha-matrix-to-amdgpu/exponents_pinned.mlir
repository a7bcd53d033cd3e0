// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// Where instructions are pinned, an empty instruction behind all products keeps sources: one that takes the sum
// would make LLVM wait for it between products that go on with one another.
// CHECK: %[[SUM:.*]] = amdgpu.scaled_mfma 32x32x64
// CHECK: %[[KEPT:.*]] = {{.*}}bitcast %{{.*}} : vector<32xi8> to vector<8xi32>
// CHECK: llvm.inline_asm has_side_effects "", "v,v,v" %[[KEPT]], %{{.*}}, %{{.*}} : (vector<8xi32>, vector<8xi32>, i32) -> ()
// CHECK: fmha.from_lanes %[[SUM]]
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <instructions = pinned, stages = [<@all compute [qk]>]>>
#op = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @product problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xf8E4M3FN, #op>, %k: !fmha.tile<32x64xf8E4M3FN, #op>, %e: !fmha.tile<32xi32, #rows>):
  %s = fmha.product k %q, %k by %e : !fmha.tile<32xi32, #rows> : !fmha.tile<32x64xf8E4M3FN, #op>, !fmha.tile<32x64xf8E4M3FN, #op> -> !fmha.tile<32x32xf32, #s>
  %l = fmha.to_lanes %s : !fmha.tile<32x32xf32, #s> -> vector<16xf32>
}
