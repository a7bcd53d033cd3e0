// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// Columns of B, the rows of Q, are multiplied by powers of two, rows of A by 2^0: bytes of one register.
// All sources are kept until the sum is there: LLVM 22 would let the sum lie over them.
// CHECK: %[[ROW:.*]] = vector.broadcast %[[EXPONENT:.*]] : i32 to vector<1xi32>
// CHECK: %[[SCALES:.*]] = vector.bitcast %[[ROW]] : vector<1xi32> to vector<4xf8E8M0FNU>
// CHECK: %[[K:.*]] = vector.bitcast %[[BYTES:.*]] : vector<32xi8> to vector<32xf8E4M3FN>
// CHECK: %[[SUM:.*]] = amdgpu.scaled_mfma 32x32x64 (%[[SCALES]][1] * %[[K]]) * (%[[SCALES]][0] * %{{.*}}) + %{{.*}}
// CHECK: %[[KEPT:.*]] = {{.*}}bitcast %[[BYTES]] : vector<32xi8> to vector<8xi32>
// CHECK: %[[Q:.*]] = {{.*}}bitcast %{{.*}} : vector<32xi8> to vector<8xi32>
// CHECK: llvm.inline_asm has_side_effects "", "=v,0,v,v,v" %[[SUM]], %[[KEPT]], %[[Q]], %[[EXPONENT]]
// CHECK-NOT: amdgpu.mfma
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
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
