// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// A lane holds 16 of its row's 32 scores, the lane 32 on the other 16. The maximum
// of 16 is 15 operations, in groups of three so that two of them make one
// v_max3_f32: (0, 1, 2), (3, 4, 5) .. (12, 13, 14), 15; then of the six results
// (0, 1, 2), (3, 4, 5); then the two.
// CHECK: fmha.kernel
// CHECK-COUNT-16: %{{.*}} = vector.extract
// CHECK: %[[M:.*]] = vector.extract
// CHECK: %[[L:.*]] = vector.extract
// CHECK: %[[A0:.*]] = arith.maxnumf %[[S0:.*]], %[[S1:.*]] fastmath<nnan> : f32
// CHECK-NEXT: %[[A:.*]] = arith.maxnumf %[[A0]], %[[S2:.*]] fastmath<nnan> : f32
// CHECK-NEXT: %[[B0:.*]] = arith.maxnumf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[B:.*]] = arith.maxnumf %[[B0]], %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[C0:.*]] = arith.maxnumf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[C:.*]] = arith.maxnumf %[[C0]], %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[D0:.*]] = arith.maxnumf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[D:.*]] = arith.maxnumf %[[D0]], %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[E0:.*]] = arith.maxnumf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[E:.*]] = arith.maxnumf %[[E0]], %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT: %[[F0:.*]] = arith.maxnumf %[[A]], %[[B]] fastmath<nnan> : f32
// CHECK-NEXT: %[[F:.*]] = arith.maxnumf %[[F0]], %[[C]] fastmath<nnan> : f32
// CHECK-NEXT: %[[G0:.*]] = arith.maxnumf %[[D]], %[[E]] fastmath<nnan> : f32
// CHECK-NEXT: %[[G:.*]] = arith.maxnumf %[[G0]], %[[S15:.*]] fastmath<nnan> : f32
// CHECK-NEXT: %[[OWN:.*]] = arith.maxnumf %[[F]], %[[G]] fastmath<nnan> : f32
//
// Lanes l and l + 32 exchange: a swap of a value with itself gives own and partner's
// in some order.
// CHECK-NEXT: %[[BITS:.*]] = llvm.bitcast %[[OWN]] : f32 to i32
// CHECK-NEXT: %[[PAIR:.*]] = rocdl.permlane32.swap %[[BITS]], %[[BITS]], false, false
// CHECK: llvm.extractvalue %[[PAIR]][0]
// CHECK: llvm.extractvalue %[[PAIR]][1]
// CHECK: %[[TILEMAX:.*]] = arith.maxnumf
// CHECK: %[[MNEW:.*]] = arith.maxnumf %[[M]], %[[TILEMAX]] fastmath<nnan> : f32
//
// A row that has seen no key has the maximum -inf. Then 0 is subtracted, so that its
// weights are exp2(-inf) = 0 and not exp2(-inf + inf).
// CHECK: %[[NINF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[MNEW]], %[[NINF]] : f32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[FINITE:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[MNEW]] : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[FINITE]], %[[FACTOR:.*]] : f32
// CHECK: %[[SHIFT:.*]] = arith.negf %[[SCALED]] : f32
//
// p = exp2(factor * s - factor * m): one fma and one exp2 a score.
// CHECK: %[[X0:.*]] = llvm.intr.fma(%[[S0]], %[[FACTOR]], %[[SHIFT]])
// CHECK-NEXT: %[[P0:.*]] = rocdl.exp2 %[[X0]]
// CHECK-COUNT-14: rocdl.exp2
// CHECK: %[[X15:.*]] = llvm.intr.fma(%[[S15]], %[[FACTOR]], %[[SHIFT]])
// CHECK-NEXT: %[[P15:.*]] = rocdl.exp2 %[[X15]]
//
// The sum: 15 additions here, one with the partner.
// CHECK-NOT: rocdl.exp2
// CHECK-COUNT-15: arith.addf
// CHECK-NOT: arith.addf
// CHECK: rocdl.permlane32.swap
// CHECK: %[[SUM:.*]] = arith.addf
//
// correction = exp2(factor * m_old - factor * m_new), l = l * correction + sum. The
// shift is a product that was rounded, so the other one is rounded too: where the
// maximum stays they are one number, the difference is 0 and the correction exactly
// 1. One fma would leave the rounding error of the shift.
// CHECK-NOT: llvm.intr.fma
// CHECK: %[[MF:.*]] = arith.mulf %[[M]], %[[FACTOR]] : f32
// CHECK-NEXT: %[[XM:.*]] = arith.addf %[[MF]], %[[SHIFT]] : f32
// CHECK-NEXT: %[[CORR:.*]] = rocdl.exp2 %[[XM]]
// CHECK-NEXT: %[[LNEW:.*]] = llvm.intr.fma(%[[L]], %[[CORR]], %[[SUM]])
//
// P keeps its registers: 0..7 are the first operand, 8..15 the second.
// CHECK: %[[LOW:.*]] = vector.from_elements %[[P0]], {{.*}} : vector<8xf32>
// CHECK: %[[HIGH:.*]] = vector.from_elements {{.*}}, %[[P15]] : vector<8xf32>
// CHECK: %[[LOWR:.*]] = arith.truncf %[[LOW]] : vector<8xf32> to vector<8xbf16>
// CHECK: %[[HIGHR:.*]] = arith.truncf %[[HIGH]] : vector<8xf32> to vector<8xbf16>
// CHECK: fmha.from_lanes %[[LOWR]], %[[HIGHR]]
// CHECK-DAG: vector.from_elements %[[MNEW]] : vector<1xf32>
// CHECK-DAG: vector.from_elements %[[LNEW]] : vector<1xf32>
// CHECK-DAG: vector.from_elements %[[CORR]] : vector<1xf32>
// CHECK-NOT: fmha.softmax

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
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
