// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// l of matrix instructions has rows c and c + 16 in each lane, registers 0 and 2, 1 and 3:
// the corrections of both are fetched after the branch, where it is taken. An exchange of
// a value with itself over 16 lanes gives that of the lower row of lanes first (ISA guide,
// V_PERMLANE16_SWAP: odd rows of the one against even rows of the other).
// CHECK: ^bb0({{.*}}, %[[L:[a-z0-9]+]]: !fmha.tile<32xf32, #{{[a-z0-9]+}}>, %[[C:[a-z0-9]+]]:
// CHECK-NOT: {{rocdl.permlane|fmha.to_lanes %}}[[C]]
// CHECK: scf.if
// CHECK: %[[CS:.*]] = fmha.to_lanes %[[C]] :
// CHECK: %[[OWN:.*]] = vector.extract %[[CS]][0]
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[OWN]] :
// CHECK: %[[PAIR:.*]] = rocdl.permlane16.swap %[[BITS]], %[[BITS]],
// CHECK: %[[I0:.*]] = llvm.extractvalue %[[PAIR]][0]
// CHECK: %[[I1:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: %[[LOW:.*]] = llvm.bitcast %[[I0]] :
// CHECK: %[[HIGH:.*]] = llvm.bitcast %[[I1]] :
// CHECK: %[[SUMS:.*]] = fmha.to_lanes %[[L]] :
// CHECK: %[[L0:.*]] = vector.extract %[[SUMS]][0]
// CHECK: %[[L1:.*]] = vector.extract %[[SUMS]][1]
// CHECK: %[[L2:.*]] = vector.extract %[[SUMS]][2]
// CHECK: %[[L3:.*]] = vector.extract %[[SUMS]][3]
// CHECK: %[[X0:.*]] = arith.mulf %[[L0]], %[[LOW]] : f32
// CHECK: %[[X1:.*]] = arith.mulf %[[L1]], %[[HIGH]] : f32
// CHECK: %[[X2:.*]] = arith.mulf %[[L2]], %[[LOW]] : f32
// CHECK: %[[X3:.*]] = arith.mulf %[[L3]], %[[HIGH]] : f32
// CHECK: vector.from_elements %[[X0]], %[[X1]], %[[X2]], %[[X3]] :
// CHECK: } else {
// CHECK-NOT: arith.mulf

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// Rows in lanes 0 to 31, again in 32 to 63. Sums of a 16x16x32 product: lane c + 16g has
// rows c and c + 16, each twice, and so have all four groups of 16 lanes.
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
#sums = #fmha.lane_layout<fragment = 4, reg = [[16], [0]], lane = [[1], [2], [4], [8], [0], [0]], wave = []>
!o = !fmha.tile<32x32xf32, #o>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%any: i1, %o: !o, %l: !fmha.tile<32xf32, #sums>, %c: !fmha.tile<32xf32, #rows>):
  %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !o, !fmha.tile<32xf32, #sums>, !fmha.tile<32xf32, #rows>
  %0 = fmha.to_lanes %o1 : !o -> vector<16xf32>
  %1 = fmha.to_lanes %l1 : !fmha.tile<32xf32, #sums> -> vector<4xf32>
}
