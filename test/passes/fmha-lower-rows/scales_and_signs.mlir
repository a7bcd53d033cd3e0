// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-rows | FileCheck %s

// O is multiplied fragment by fragment: the accumulator of a matrix instruction
// stays one vector of 16.
// CHECK-LABEL: fmha.kernel @rescale
// CHECK: %[[C:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[O:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK: %[[SPLAT:.*]] = vector.broadcast %[[C]] : f32 to vector<16xf32>
// CHECK: %[[R:.*]] = arith.mulf %[[O]], %[[SPLAT]] : vector<16xf32>
// CHECK: fmha.from_lanes %[[R]]
// CHECK-NOT: fmha.rescale
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
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
fmha.kernel @rescale problem(#problem) schedule(#schedule) {
^bb0(%o: !s, %c: !row):
  %0 = fmha.rescale %o, %c : !s, !row
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}

// A row without keys has l = 0 and becomes 0, not 0 / 0.
// CHECK-LABEL: fmha.kernel @normalize
// CHECK: %[[L:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[EMPTY:.*]] = arith.cmpf oeq, %[[L]], %[[ZERO]] : f32
// CHECK-DAG: %[[RCP:.*]] = rocdl.rcp %[[L]]
// CHECK: %[[F:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[RCP]] : f32
// CHECK: %[[SPLAT:.*]] = vector.broadcast %[[F]] : f32 to vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %[[SPLAT]] : vector<16xf32>
// CHECK-NOT: fmha.normalize
fmha.kernel @normalize problem(#problem) schedule(#schedule) {
^bb0(%o: !s, %l: !row):
  %0 = fmha.normalize %o, %l : !s, !row
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}

// What O is multiplied by in the end multiplies the quotient, so that the product with a small
// reciprocal is no number below 2^-126.
// CHECK-LABEL: fmha.kernel @times
// CHECK: %[[L:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: %[[LS:.*]] = vector.broadcast %[[L]] : f32 to vector<16xf32>
// CHECK: %[[O:.*]] = arith.mulf %{{.*}}, %[[LS]] : vector<16xf32>
// CHECK: %[[FS:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %[[FS]] : vector<16xf32>
fmha.kernel @times problem(#problem) schedule(#schedule) {
^bb0(%o: !s, %l: !row):
  %f = fmha.arg scale : f32
  %0 = fmha.normalize %o, %l times %f : !s, !row
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}

// CHECK-LABEL: fmha.kernel @init
// CHECK: %[[C:.*]] = arith.constant dense<0xFF800000> : vector<1xf32>
// CHECK: fmha.from_lanes %[[C]]
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: fmha.from_lanes %[[Z]]
// CHECK-NOT: fmha.init
fmha.kernel @init problem(#problem) schedule(#schedule) {
  %0 = fmha.init 0xFF800000 : !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
  %2 = fmha.init 0.0 : !s
  %3 = fmha.to_lanes %2 : !s -> vector<16xf32>
}

// A negative factor flips bits 15 and 31 of each word of two 16-bit elements:
// 0x80008000 = 2^31 + 2^15, as a signed number -2^31 + 32768 = -2147450880.
// CHECK-LABEL: fmha.kernel @apply_sign
// CHECK: %[[NEG:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK-DAG: %[[SIGNS:.*]] = arith.constant -2147450880 : i32
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK: %[[FLIP:.*]] = arith.select %[[NEG]], %[[SIGNS]], %[[NONE]] : i32
// CHECK: %[[FLIPS:.*]] = vector.from_elements %[[FLIP]], %[[FLIP]], %[[FLIP]], %[[FLIP]] : vector<4xi32>
// CHECK-COUNT-2: arith.xori %{{.*}}, %[[FLIPS]] : vector<4xi32>
// CHECK-NOT: arith.xori
// CHECK-NOT: fmha.apply_sign
fmha.kernel @apply_sign problem(#problem) schedule(#schedule) {
^bb0(%q: !p, %scale: f32):
  %0 = fmha.apply_sign %q, %scale : !p
  %1:2 = fmha.to_lanes %0 : !p -> vector<8xbf16>, vector<8xbf16>
}
