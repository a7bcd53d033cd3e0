// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Scores of any magnitude: the difference of score and maximum is formed before it is
// scaled, for the weights and for the correction, and no product of the maximum.
// CHECK: fmha.kernel
// CHECK: %[[FINITE:.*]] = arith.select
// CHECK-NEXT: %[[SHIFT:.*]] = arith.negf %[[FINITE]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.addf %{{.*}}, %[[SHIFT]] : f32
// CHECK-NEXT: %[[X:.*]] = arith.mulf %[[D]], %[[FACTOR:.*]] : f32
// CHECK-NEXT: rocdl.exp2 %[[X]]
// CHECK-NOT: llvm.intr.fma
// CHECK-COUNT-7: rocdl.exp2
// CHECK: %[[OLD:.*]] = arith.addf %{{.*}}, %[[SHIFT]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[OLD]], %[[FACTOR]] : f32
// CHECK-NEXT: %[[C:.*]] = rocdl.exp2 %[[Y]]
// CHECK-NEXT: llvm.intr.fma(%{{.*}}, %[[C]], %{{.*}})

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
#s = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[1], [2], [4], [8], [0], [0]], wave = [[16]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<64x32xf32, #s>, %m: !row, %l: !row, %factor: f32):
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %l, %factor wide : !fmha.tile<64x32xf32, #s>, !row -> !fmha.tile<64x32xbf16, #p>
}
