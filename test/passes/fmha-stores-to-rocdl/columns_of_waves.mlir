// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// Of four waves bit 0 counts columns 16 apart, bit 1 nothing: the two that have it set have the same as the
// others, and store past every extent. A lane has four neighbouring columns, and no others to exchange with the
// lane that has the next four: it stores 8 bytes.
// CHECK: %[[WAVE:.*]] = arith.andi %{{.*}}, %c1_i32{{.*}} : i32
// CHECK: arith.muli %[[WAVE]], %c16_i32{{.*}} : i32
// CHECK: %[[W:.*]] = fmha.id wave
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[BIT1:.*]] = arith.andi %[[W]], %[[C2]] : i32
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[BIT1]], %{{.*}}
// CHECK: %[[PAST:.*]] = arith.constant -16 : i32
// CHECK: %[[AT:.*]] = arith.select %[[ISFIRST]], %{{.*}}, %[[PAST]]
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[AT]], {{.*}} vector<2xi32>
// CHECK-NOT: permlane
// The sum of a row is in all of them, and in four lanes each.
// CHECK: %[[L:.*]] = fmha.id lane
// CHECK: %[[C48:.*]] = arith.constant 48 : i32
// CHECK: arith.andi %{{.*}}, %[[C48]] : i32
// CHECK: %[[V:.*]] = fmha.id wave
// CHECK: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: arith.andi %{{.*}}, %[[C3]] : i32
// CHECK: rocdl.raw.ptr.buffer.store {{.*}} f32

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 4,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#merged = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 16], [0, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = [[0], [0]]>
!merged = !fmha.tile<16x32xf32, #merged>
!row = !fmha.tile<16xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !merged, %l: !row):
  %vo = fmha.view o : !fmha.view<32, bf16>
  %vl = fmha.view lse : !fmha.view<1, f32>
  fmha.store_o %o, %vo : !merged, !fmha.view<32, bf16>
  fmha.store_lse %l, %vl : !row, !fmha.view<1, f32>
}
