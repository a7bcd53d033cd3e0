// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-exchange | FileCheck %s

// Two waves, two fragments of O of 4 registers in each. A wave's place has its first fragment and its second, 16
// bytes of 64 lanes each, so 2048 bytes; after both places, 4096, come pairs of m and l, 512 bytes of each wave.
// CHECK: %[[LDS:.*]] = fmha.lds_base 5120
// CHECK: %[[PLACE:.*]] = arith.constant 2048 : i32
// CHECK: %[[OWN:.*]] = arith.muli %{{.*}}, %[[PLACE]] : i32
// CHECK: %[[LANE:.*]] = fmha.id lane
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[PIECE:.*]] = arith.muli %[[LANE]], %[[C16]] : i32
// CHECK: arith.addi %[[PIECE]], %[[OWN]] : i32
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.getelementptr {{.*}}[1024]
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.getelementptr {{.*}}[4096]
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>
// CHECK: rocdl.s.barrier
// Weights first: of m and l of wave 0, then of wave 1.
// CHECK: llvm.getelementptr {{.*}}[4096]
// CHECK-NEXT: llvm.load {{.*}} vector<2xf32>
// CHECK: llvm.getelementptr {{.*}}[4608]
// CHECK-NEXT: llvm.load {{.*}} vector<2xf32>
// CHECK: arith.maxnumf
// CHECK-COUNT-2: rocdl.exp2
// Fragment `wave` of wave 0 times its weight, plus that of wave 1.
// CHECK: %[[FRAGMENT:.*]] = arith.constant 1024 : i32
// CHECK: arith.muli %{{.*}}, %[[FRAGMENT]] : i32
// CHECK: llvm.getelementptr {{.*}}[0]
// CHECK-NEXT: %[[X:.*]] = llvm.load {{.*}} vector<4xf32>
// CHECK: %[[WX:.*]] = arith.mulf %[[X]]
// CHECK: llvm.getelementptr {{.*}}[2048]
// CHECK-NEXT: %[[Y:.*]] = llvm.load {{.*}} vector<4xf32>
// CHECK: %[[WY:.*]] = arith.mulf %[[Y]]
// CHECK: arith.addf %[[WX]], %[[WY]]
// CHECK-NOT: fmha.share
// CHECK-NOT: fmha.gather
// CHECK-NOT: fmha.lds_exchange

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
  %o1, %m1, %l1 = fmha.gather %x after %t by %f : !fmha.exchange<5120> -> !merged, !row
  %n = fmha.normalize %o1, %l1 : !merged, !row
}
