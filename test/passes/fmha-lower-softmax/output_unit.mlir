// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Where a tile's factor is that of the tile before, bit for bit, nothing changes.
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[OWN:.*]] : f32 to i32
// CHECK: %[[BEFORE:.*]] = llvm.bitcast %{{.*}} : f32 to i32
// CHECK: %[[CHANGED:.*]] = arith.cmpi ne, %[[BITS]], %[[BEFORE]] : i32
// CHECK: scf.if %[[CHANGED]] ->
// CHECK: fmha.seq_len kv
// CHECK: %[[F:.*]] = arith.select %{{.*}}, %[[OWN]], %{{.*}} : f32
// CHECK: %[[MAG:.*]] = math.absf %[[F]]
// CHECK: %[[NEG:.*]] = arith.cmpf olt, %[[F]], %{{.*}} : f32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[FIRST:.*]] = arith.muli %[[T:.*]], %{{.*}} : i32
// Of a row the unit of the tile before counts among the greatest if the row saw it: its first key is
// before this tile.
// CHECK: %[[WAS:.*]] = math.absf %[[UNIT:.*]] : f32
// CHECK: %[[BEGUN:.*]] = arith.cmpi sgt, %[[FIRST]], %{{.*}} : i32
// CHECK: %[[SEEN:.*]] = arith.select %[[BEGUN]], %[[WAS]], %[[ZERO]] : f32
// CHECK: %[[GREATEST:.*]] = arith.maxnumf %[[MOST:.*]], %[[SEEN]] : f32
// The unit falls no further than to 2^-60 of that, nor below 2^-125.
// CHECK: %[[PART:.*]] = arith.constant 8.67361737E-19 : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[GREATEST]], %[[PART]] : f32
// CHECK: %[[TINY:.*]] = arith.constant 2.3509887E-38 : f32
// CHECK: %[[LEAST:.*]] = arith.maxnumf %[[SCALED]], %[[TINY]] : f32
// CHECK: %[[BOUNDED:.*]] = arith.maxnumf %[[MAG]], %[[LEAST]] : f32
// It is 0 as long as all were, has the factor's sign, and is NaN where the factor is.
// CHECK: %[[ANY:.*]] = arith.maxnumf %[[GREATEST]], %[[MAG]] : f32
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[ANY]], %[[ZERO]] : f32
// CHECK: %[[MINUS:.*]] = arith.negf %[[BOUNDED]] : f32
// CHECK: %[[SIGNED:.*]] = arith.select %[[NEG]], %[[MINUS]], %[[BOUNDED]] : f32
// CHECK: %[[NUMBER:.*]] = arith.select %[[NONE]], %[[ZERO]], %[[SIGNED]] : f32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[F]], %[[F]] : f32
// CHECK: %[[NEXT:.*]] = arith.select %[[NAN]], %[[F]], %[[NUMBER]] : f32
// O is multiplied by the old unit over the new one, both times 2^-24 where the new one is above 1: else the
// reciprocal of 2^127 would be 0.
// CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %[[BOUNDED]], %[[ONE]] : f32
// CHECK: %[[SMALL:.*]] = arith.constant 5.96046448E-8 : f32
// CHECK: %[[DOWN:.*]] = arith.select %[[LARGE]], %[[SMALL]], %[[ONE]] : f32
// CHECK: %[[LOW:.*]] = arith.mulf %[[NEXT]], %[[DOWN]] : f32
// CHECK: %[[DIVISOR:.*]] = arith.select %[[NONE]], %[[ONE]], %[[LOW]] : f32
// CHECK: %[[OLD:.*]] = arith.mulf %[[UNIT]], %[[DOWN]] : f32
// CHECK: %[[OVER:.*]] = rocdl.rcp %[[DIVISOR]] f32 -> f32
// CHECK: %[[QUOTIENT:.*]] = arith.mulf %[[OLD]], %[[OVER]] : f32
// From -2^126 to 2^126, or NaN.
// CHECK: %[[BOTTOM:.*]] = arith.constant -8.50705917E+37 : f32
// CHECK: %[[ABOVE:.*]] = arith.maxnumf %[[QUOTIENT]], %[[BOTTOM]] : f32
// CHECK: %[[TOP:.*]] = arith.constant 8.50705917E+37 : f32
// CHECK: %[[WITHIN:.*]] = arith.minnumf %[[ABOVE]], %[[TOP]] : f32
// CHECK: %[[IS_NAN:.*]] = arith.cmpf uno, %[[QUOTIENT]], %[[QUOTIENT]] : f32
// CHECK: %[[KEPT:.*]] = arith.select %[[IS_NAN]], %[[QUOTIENT]], %[[WITHIN]] : f32
// Before its first key O of a row is 0, and stays.
// CHECK: %[[OF_SEEN:.*]] = arith.select %[[BEGUN]], %[[KEPT]], %[[ONE]] : f32
// Rows that see no key from here on keep O, unit and greatest.
// CHECK: %[[SEES:.*]] = arith.cmpi slt, %[[FIRST]], %{{.*}} : i32
// CHECK: %[[RATIO:.*]] = arith.select %[[SEES]], %[[OF_SEEN]], %[[ONE]] : f32
// CHECK: arith.select %[[SEES]], %[[NEXT]], %[[UNIT]] : f32
// CHECK: arith.select %[[SEES]], %[[GREATEST]], %[[MOST]] : f32
// CHECK: %[[SPLAT:.*]] = vector.broadcast %[[RATIO]] : f32 to vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %[[SPLAT]] : vector<16xf32>

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = window, window_left = 7, window_right = 0, k_scale = block, v_scale = block, scale_block = 64>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!o = !fmha.tile<32x32xf32, #o>
!row = !fmha.tile<32xf32, #rows>
!keys = !fmha.tile<32xi32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %unit: !row, %most: !row, %before: f32, %own: f32, %limit: !keys, %first: !keys, %t: i32):
  %o1, %unit1, %most1 = fmha.output_unit %o, %unit, %most from %before to %own, %limit, %t from %first : !keys : !o, !row, !keys
  %0 = fmha.to_lanes %o1 : !o -> vector<16xf32>
  %1 = fmha.to_lanes %unit1 : !row -> vector<1xf32>
  %2 = fmha.to_lanes %most1 : !row -> vector<1xf32>
}
