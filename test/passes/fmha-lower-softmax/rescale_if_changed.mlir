// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// O is multiplied only if some row's correction differs from 1; the softmax makes it
// exactly 1 where the maximum stays. NaN differs too (une). The ballot has a bit for
// each of the 64 lanes, so that the branch is the same for the wave.
// Two rows a lane, two fragments, each with its row's correction.
// CHECK: fmha.kernel
// CHECK: %[[CS:.*]]:2 = fmha.to_lanes %{{.*}} -> vector<1xf32>, vector<1xf32>
// CHECK: %[[C0:.*]] = vector.extract %[[CS]]#0[0] : f32 from vector<1xf32>
// CHECK: %[[C1:.*]] = vector.extract %[[CS]]#1[0] : f32 from vector<1xf32>
// CHECK: %[[O:.*]]:2 = fmha.to_lanes %{{.*}} -> vector<16xf32>, vector<16xf32>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[D0:.*]] = arith.cmpf une, %[[C0]], %[[ONE]] : f32
// CHECK: %[[D1:.*]] = arith.cmpf une, %[[C1]], %[[ONE]] : f32
// CHECK: %[[D:.*]] = arith.ori %[[D0]], %[[D1]] : i1
// CHECK: %[[LANES:.*]] = rocdl.ballot %[[D]] : i64
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[LANES]], %[[ZERO]] : i64
// CHECK-NOT: arith.mulf
// CHECK: %[[R:.*]]:2 = scf.if %[[ANY]] -> (vector<16xf32>, vector<16xf32>) {
// CHECK: %[[P:.*]]:2 = fmha.to_lanes %{{.*}} -> vector<16xf32>, vector<16xf32>
// CHECK: %[[B0:.*]] = vector.broadcast %[[C0]] : f32 to vector<16xf32>
// CHECK: arith.mulf %[[P]]#0, %[[B0]] : vector<16xf32>
// CHECK: %[[B1:.*]] = vector.broadcast %[[C1]] : f32 to vector<16xf32>
// CHECK: arith.mulf %[[P]]#1, %[[B1]] : vector<16xf32>
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[O]]#0, %[[O]]#1
// CHECK-NEXT: }
// CHECK-NOT: arith.mulf
// CHECK: fmha.from_lanes %[[R]]#0, %[[R]]#1
// CHECK-NOT: fmha.rescale

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = if_changed>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!o = !fmha.tile<64x32xf32, #o>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %c: !row):
  %0 = fmha.rescale %o, %c : !o, !row
  %1:2 = fmha.to_lanes %0 : !o -> vector<16xf32>, vector<16xf32>
}
