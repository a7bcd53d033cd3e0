// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// From sums to rows: lanes with bit 4 set take row c + 16, register 1.
// CHECK: %[[L:.*]] = fmha.to_lanes %arg0 {{.*}} -> vector<4xf32>
// CHECK: %[[LOW:.*]] = vector.extract %[[L]][0]
// CHECK: %[[HIGH:.*]] = vector.extract %[[L]][1]
// CHECK: %[[LANE:.*]] = fmha.id lane
// CHECK: %[[BIT:.*]] = arith.andi %[[LANE]], %c16
// CHECK: %[[SET:.*]] = arith.cmpi ne, %[[BIT]], %c0
// CHECK: %[[ROW:.*]] = arith.select %[[SET]], %[[HIGH]], %[[LOW]] : f32
// CHECK: vector.from_elements %[[ROW]] :
// And back: one exchange over 16 lanes gives every lane both, that of lanes with bit 4
// clear first: registers 0 and 2 have row c, 1 and 3 row c + 16.
// CHECK: %[[R:.*]] = fmha.to_lanes %arg1
// CHECK: %[[OWN:.*]] = vector.extract %[[R]][0]
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[OWN]] :
// CHECK: %[[PAIR:.*]] = rocdl.permlane16.swap %[[BITS]], %[[BITS]],
// CHECK: %[[I0:.*]] = llvm.extractvalue %[[PAIR]][0]
// CHECK: %[[I1:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: %[[C0:.*]] = llvm.bitcast %[[I0]] :
// CHECK: %[[C16:.*]] = llvm.bitcast %[[I1]] :
// CHECK: vector.from_elements %[[C0]], %[[C16]], %[[C0]], %[[C16]] :
// In parts: two registers after each other are added; those of a 32x32x64 product with a
// sparse A, in 16 registers.
// CHECK: %[[P:.*]] = fmha.to_lanes %arg2 {{.*}} -> vector<16xf32>
// CHECK: %[[P0:.*]] = vector.extract %[[P]][0]
// CHECK: %[[P1:.*]] = vector.extract %[[P]][1]
// CHECK: %[[SUM:.*]] = arith.addf %[[P1]], %[[P0]] : f32
// CHECK: vector.from_elements %[[SUM]] : vector<1xf32>
// CHECK-NOT: rocdl.permlane
// CHECK-NOT: fmha.move_rows

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
// Rows in lanes 0 to 31, again in 32 to 63. Sums of a 16x16x32 product: lane c + 16g has
// rows c and c + 16, each twice, and so have all four groups of 16 lanes.
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
#sums = #fmha.lane_layout<fragment = 4, reg = [[16], [0]], lane = [[1], [2], [4], [8], [0], [0]], wave = []>
#parts = #fmha.lane_layout<fragment = 16, reg = [[0], [0], [0], [0]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !fmha.tile<32xf32, #sums>, %c: !fmha.tile<32xf32, #rows>, %p: !fmha.tile<32xf32, #parts>):
  %0 = fmha.move_rows %l : !fmha.tile<32xf32, #sums> -> !fmha.tile<32xf32, #rows>
  %1 = fmha.to_lanes %0 : !fmha.tile<32xf32, #rows> -> vector<1xf32>
  %2 = fmha.move_rows %c : !fmha.tile<32xf32, #rows> -> !fmha.tile<32xf32, #sums>
  %3 = fmha.to_lanes %2 : !fmha.tile<32xf32, #sums> -> vector<4xf32>
  %4 = fmha.move_rows %p parts 2 : !fmha.tile<32xf32, #parts> -> !fmha.tile<32xf32, #rows>
  %5 = fmha.to_lanes %4 : !fmha.tile<32xf32, #rows> -> vector<1xf32>
}
