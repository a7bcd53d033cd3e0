// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-rows | FileCheck %s

// Rows 0..31 of a wave are in one register of factors, rows 32..63 in the next: the fragments of Q that
// lie there change their signs by these.
// CHECK-LABEL: fmha.kernel @signs
// CHECK: %[[F0:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[F1:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[N0:.*]] = arith.cmpf olt, %[[F0]], %{{.*}} : f32
// CHECK: %[[N1:.*]] = arith.cmpf olt, %[[F1]], %{{.*}} : f32
// CHECK: %[[S0:.*]] = arith.select %[[N0]], %{{.*}}, %{{.*}} : i32
// CHECK: %[[V0:.*]] = vector.from_elements %[[S0]], %[[S0]], %[[S0]], %[[S0]], %[[S0]], %[[S0]], %[[S0]], %[[S0]] : vector<8xi32>
// CHECK: %[[S1:.*]] = arith.select %[[N1]], %{{.*}}, %{{.*}} : i32
// CHECK: %[[V1:.*]] = vector.from_elements %[[S1]],
// CHECK: arith.xori %{{.*}}, %[[V0]] : vector<8xi32>
// CHECK: arith.xori %{{.*}}, %[[V1]] : vector<8xi32>
// CHECK-NOT: fmha.apply_sign
//
// CHECK-LABEL: fmha.kernel @rows
// CHECK-COUNT-2: arith.mulf %{{.*}}, %arg1 : f32
// CHECK: %[[A:.*]] = math.absf %{{.*}} : f32
// CHECK: %[[L:.*]] = arith.maxnumf %[[A]], %{{.*}} : f32
// CHECK: arith.minnumf %[[L]], %{{.*}} : f32
//
// A row's scores by its factor, a fragment at a time.
// CHECK-LABEL: fmha.kernel @scores
// CHECK: %[[SPLAT:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %[[SPLAT]] : vector<16xf32>
// CHECK-NOT: fmha.follow
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none, q_scale = token>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 32]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!q = !fmha.tile<64x64xf8E4M3FN, #q>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @signs problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %f: !row):
  %0 = fmha.apply_sign %q, %f of !row : !q
  %1:2 = fmha.to_lanes %0 : !q -> vector<32xi8>, vector<32xi8>
}
fmha.kernel @rows problem(#problem) schedule(#schedule) {
^bb0(%f: !row, %scale: f32):
  %0 = fmha.scale_rows %f, %scale : !row
  %1 = fmha.magnitude %0 from 0.5 to 2.0 : !row
  %2:2 = fmha.to_lanes %1 : !row -> vector<1xf32>, vector<1xf32>
}
fmha.kernel @scores problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %f: !row):
  %0 = fmha.scale_scores %s, %f : !s, !row
  %1 = fmha.follow %0, %f : !s, !row
  %2:2 = fmha.to_lanes %1 : !s -> vector<16xf32>, vector<16xf32>
}
