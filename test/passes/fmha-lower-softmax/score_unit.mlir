// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Where a tile's factor is that of the tile before, bit for bit, nothing changes.
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[OWN:.*]] : f32 to i32
// CHECK: %[[BEFORE:.*]] = llvm.bitcast %{{.*}} : f32 to i32
// CHECK: %[[CHANGED:.*]] = arith.cmpi ne, %[[BITS]], %[[BEFORE]] : i32
// CHECK: scf.if %[[CHANGED]] ->
// Without a key in the sequence what was loaded is anything.
// CHECK: %[[KEYS:.*]] = fmha.seq_len kv
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[KEYS]],
// CHECK: %[[F:.*]] = arith.select %[[ANY]], %[[OWN]], %{{.*}} : f32
// The unit: |factor| times the scale, from 2^-60 to 2^100; a number, since what a row does not see is -inf times it.
// CHECK: %[[MAG:.*]] = math.absf %[[F]]
// CHECK: %[[U:.*]] = arith.mulf %[[SCALE:.*]], %[[MAG]] : f32
// CHECK: %[[LOW:.*]] = arith.constant 8.67361737E-19 : f32
// CHECK: %[[ABOVE:.*]] = arith.maxnumf %[[U]], %[[LOW]] : f32
// CHECK: %[[HIGH:.*]] = arith.constant 1.26765{{.*}}E+30 : f32
// CHECK: %[[UNIT:.*]] = arith.minnumf %[[ABOVE]], %[[HIGH]] : f32
// The limit of a row that saw a key is lazy_log2 and what the lift leaves, over the unit.
// CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[LEFT:.*]] = arith.constant 2.807{{0*}}e+00 : f32
// CHECK: %[[OVER:.*]] = rocdl.rcp %[[UNIT]] f32 -> f32
// CHECK: %[[NEW:.*]] = arith.mulf %[[LEFT]], %[[OVER]] : f32
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[LIMIT:.*]], %[[NONE]] : f32
// CHECK: %[[NEXT:.*]] = arith.select %[[EMPTY]], %[[NONE]], %[[NEW]] : f32
// Scores start from minus the maximum over the unit, from -2^120 to 2^120, and from NaN where the factor is that.
// CHECK: %[[MINUS:.*]] = arith.negf %[[M:.*]] : f32
// CHECK: %[[AGAIN:.*]] = rocdl.rcp %[[UNIT]] f32 -> f32
// CHECK: %[[START:.*]] = arith.mulf %[[MINUS]], %[[AGAIN]] : f32
// CHECK: %[[BOTTOM:.*]] = arith.constant -1.329228E+36 : f32
// CHECK: %[[FROM:.*]] = arith.maxnumf %[[START]], %[[BOTTOM]] : f32
// CHECK: %[[TOP:.*]] = arith.constant 1.329228E+36 : f32
// CHECK: %[[WITHIN:.*]] = arith.minnumf %[[FROM]], %[[TOP]] : f32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[F]], %[[F]]
// CHECK: %[[BASE:.*]] = arith.select %[[NAN]], %[[F]], %[[WITHIN]] : f32
// CHECK: vector.broadcast %[[BASE]] : f32 to vector<16xf32>
// Q is negated where the sign is another: the sign bits of four elements a word.
// CHECK: %[[NEG:.*]] = arith.cmpf olt, %[[F]],
// CHECK: %[[WAS:.*]] = arith.cmpf olt,
// CHECK: %[[TURNED:.*]] = arith.xori %[[NEG]], %[[WAS]] : i1
// CHECK: arith.constant -2139062144 : i32
// CHECK: arith.select %[[TURNED]],
// CHECK: arith.xori %{{.*}} : vector<8xi32>
// CHECK: %[[ROWS:.*]] = vector.from_elements %[[NEXT]] : vector<1xf32>
// CHECK: scf.yield %{{.*}}, %[[ROWS]], %{{.*}}, %[[UNIT]] :

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = causal, k_scale = block, v_scale = block, scale_block = 64>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
#base = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 32]], wave = []>
!base = !fmha.tile<32x32xf32, #base>
!row = !fmha.tile<32xf32, #rows>
!q = !fmha.tile<32x64xf8E4M3FN, #q>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%base: !base, %limit: !row, %m: !row, %q: !q, %scale: f32, %unit: f32, %before: f32, %own: f32):
  %base1, %limit1, %q1, %unit1 = fmha.score_unit %base, %limit, %m, %q, %scale, %unit from %before to %own : !base, !row, !q
  %0 = fmha.to_lanes %base1 : !base -> vector<16xf32>
  %1 = fmha.to_lanes %limit1 : !row -> vector<1xf32>
  %2 = fmha.to_lanes %q1 : !q -> vector<32xi8>
  %3 = arith.bitcast %unit1 : f32 to i32
}
