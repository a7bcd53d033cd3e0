// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-exchange | FileCheck %s

// O of each wave was divided by its sum. So its weight is the part that its sum, times 2^(m - M), has of that of all,
// and 0 where no wave has a weight.
// CHECK: %[[W0:.*]] = rocdl.exp2
// CHECK: %[[P0:.*]] = arith.mulf %{{.*}}, %[[W0]]
// CHECK: %[[W1:.*]] = rocdl.exp2
// CHECK: %[[P1:.*]] = arith.mulf %{{.*}}, %[[W1]]
// CHECK: %[[SUM:.*]] = arith.addf %[[P0]], %[[P1]]
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[SUM]], %[[ZERO:.*]] :
// CHECK: %[[INVERSE:.*]] = rocdl.rcp %[[SUM]]
// CHECK: %[[SAFE:.*]] = arith.select %[[NONE]], %[[ZERO]], %[[INVERSE]]
// CHECK: %[[A0:.*]] = arith.mulf %[[P0]], %[[SAFE]]
// CHECK: %[[A1:.*]] = arith.mulf %[[P1]], %[[SAFE]]
// CHECK: vector.broadcast %[[A0]]
// CHECK: vector.broadcast %[[A1]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 0]]>
#merged = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 16]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = [[0]]>
!o = !fmha.tile<16x32xf32, #o>
!merged = !fmha.tile<16x32xf32, #merged>
!row = !fmha.tile<16xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %m: !row, %l: !row, %f: f32):
  %lds = fmha.lds_base 2048 : !llvm.ptr<3>
  %x = fmha.lds_exchange : !fmha.exchange<5120>
  %t = fmha.share %o, %m, %l into %x : !o, !row, !fmha.exchange<5120>
  rocdl.s.barrier
  %o1, %m1, %l1 = fmha.gather %x after %t by %f normalized : !fmha.exchange<5120> -> !merged, !row
  %n = fmha.rescale %o1, %l1 : !merged, !row
}
