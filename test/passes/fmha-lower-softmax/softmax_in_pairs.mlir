// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Of the 16 scores of a lane 8 pairs, an fma each, and 16 exponentials; their sum is 7
// additions of pairs, one of the two that are left, one with the partner's.
// CHECK: llvm.intr.fma({{.*}}) : (vector<2xf32>
// CHECK-COUNT-2: rocdl.exp2
// CHECK: llvm.intr.fma({{.*}}) : (vector<2xf32>
// CHECK-COUNT-14: rocdl.exp2
// CHECK-NOT: rocdl.exp2
// CHECK-COUNT-7: arith.addf {{.*}} : vector<2xf32>
// CHECK-NOT: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: rocdl.permlane32.swap
// CHECK: arith.addf
// CHECK: rocdl.exp2

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager, packed = softmax>
// S of 32x32x16, transposed: lane c + 32h holds row c of its wave, register r
// key 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!p = !fmha.tile<64x32xbf16, #p>
!row = !fmha.tile<64xf32, #rows>
!limit = !fmha.tile<64xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !row, %l: !row, %factor: f32):
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %l, %factor : !s, !row -> !p
  %0:2 = fmha.to_lanes %p : !p -> vector<8xbf16>, vector<8xbf16>
  %1 = fmha.to_lanes %m1 : !row -> vector<1xf32>
  %2 = fmha.to_lanes %l1 : !row -> vector<1xf32>
  %3 = fmha.to_lanes %c : !row -> vector<1xf32>
}
