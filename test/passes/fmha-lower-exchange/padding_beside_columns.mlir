// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-exchange | FileCheck %s

// 40 of 64 columns: fragments of columns 0, 16 and 32 are there, that of 48 is padding. Of two waves that share
// them one gets 0 and 32, the other 16 and 48: what it takes for the padding is zeros that were shared.
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-COUNT-3: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: vector.extract %[[ZEROS]]
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 40, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 0]]>
#merged = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 16]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = [[0]]>
!o = !fmha.tile<16x64xf32, cols = 40, #o>
!merged = !fmha.tile<16x64xf32, cols = 40, #merged>
!row = !fmha.tile<16xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %m: !row, %l: !row, %f: f32):
  %x = fmha.lds_exchange : !fmha.exchange<9216>
  %t = fmha.share %o, %m, %l into %x : !o, !row, !fmha.exchange<9216>
  rocdl.s.barrier
  %o1, %m1, %l1 = fmha.gather %x after %t by %f : !fmha.exchange<9216> -> !merged, !row
  %n = fmha.normalize %o1, %l1 : !merged, !row
}
