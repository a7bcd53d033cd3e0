// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Scores are relative to the maximum already. If a lane has one that passes its row's
// limit, all rows of the wave move.
// CHECK: fmha.kernel
// CHECK: %[[SV:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK: %[[S0:.*]] = vector.extract %[[SV]][0]
// CHECK: %[[LV:.*]] = fmha.to_lanes %{{.*}} -> vector<1xf32>
// CHECK: %[[LIMIT:.*]] = vector.extract %[[LV]][0]
// CHECK: %[[MV:.*]] = fmha.to_lanes %{{.*}} -> vector<1xf32>
// CHECK: %[[M:.*]] = vector.extract %[[MV]][0]
// CHECK-COUNT-14: arith.maxnumf
// CHECK: %[[OWN:.*]] = arith.maxnumf
// CHECK: %[[PASSED:.*]] = arith.cmpf ogt, %[[OWN]], %[[LIMIT]] : f32
// CHECK: %[[LANES:.*]] = rocdl.ballot %[[PASSED]]
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[LANES]]
// No correction where nothing moves, a vector: of its elements MLIR would make a constant.
// CHECK: %[[NONE:.*]] = llvm.mlir.poison : vector<1xf32>
// CHECK: %[[R:.*]]:5 = scf.if %[[ANY]] -> (vector<16xf32>, vector<16xf32>, vector<1xf32>, vector<1xf32>, vector<1xf32>) {
// By how much: up to the maximum of the row, over both lanes, and not down, unless it is
// the row's first; not at all if the row has seen no key yet.
// CHECK: rocdl.permlane32.swap
// CHECK: %[[MAX:.*]] = arith.maxnumf
// CHECK: %[[NEW:.*]] = arith.cmpf oeq, %[[LIMIT]], %[[NINF:.*]] : f32
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[MAX]], %[[NINF]] : f32
// CHECK: %[[FIRST:.*]] = arith.select %[[EMPTY]], %[[ZERO:.*]], %[[MAX]] : f32
// CHECK: %[[UP:.*]] = arith.maxnumf %[[MAX]], %[[ZERO]]
// CHECK: %[[D:.*]] = arith.select %[[NEW]], %[[FIRST]], %[[UP]] : f32
// Scores and the base go down by it, the maximum up.
// CHECK: arith.subf %[[S0]], %[[D]] : f32
// CHECK-COUNT-15: arith.subf %{{.*}}, %[[D]] : f32
// CHECK: %[[MNEW:.*]] = arith.addf %[[M]], %[[D]] : f32
// A first maximum corrects nothing: there is nothing yet. From then on the limit is that
// of the schedule.
// CHECK: %[[NEG:.*]] = arith.negf %[[D]] : f32
// CHECK: %[[E:.*]] = rocdl.exp2 %[[NEG]]
// CHECK: %[[C:.*]] = arith.select %[[NEW]], %[[ONE:.*]], %[[E]] : f32
// CHECK: %[[SEEN:.*]] = arith.select %[[EMPTY]], %[[NINF]], %[[LOG2:.*]] : f32
// CHECK: %[[LNEW:.*]] = arith.select %[[NEW]], %[[SEEN]], %[[LIMIT]] : f32
// The base stays one vector: of single elements LLVM makes values of their own, which it
// copies to where the second of two products starts from.
// CHECK: %[[BV:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK: %[[DOWN:.*]] = vector.broadcast %[[NEG]] : f32 to vector<16xf32>
// CHECK: arith.addf %[[BV]], %[[DOWN]] : vector<16xf32>
// CHECK-DAG: vector.from_elements %[[LNEW]] : vector<1xf32>
// CHECK-DAG: vector.from_elements %[[MNEW]] : vector<1xf32>
// CHECK-DAG: vector.from_elements %[[C]] : vector<1xf32>
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK: arith.extui %[[ANY]]
// CHECK-NOT: fmha.rebase

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!p = !fmha.tile<32x32xbf16, #p>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %base: !s, %limit: !row, %m: !row):
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !s, !s, !row
  %0 = fmha.to_lanes %s1 : !s -> vector<16xf32>
  %1 = fmha.to_lanes %base1 : !s -> vector<16xf32>
  %2 = fmha.to_lanes %limit1 : !row -> vector<1xf32>
  %3 = fmha.to_lanes %m1 : !row -> vector<1xf32>
  %4 = fmha.to_lanes %c : !row -> vector<1xf32>
  %5 = arith.extui %any : i1 to i32
}
