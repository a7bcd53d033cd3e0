// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// One exp2 a score; of a quarter of 16 four, elements 4 to 7, the rest as it was.
// CHECK: %[[X:.*]] = fmha.to_lanes
// CHECK: %[[X3:.*]] = vector.extract %[[X]][3]
// CHECK: %[[X4:.*]] = vector.extract %[[X]][4]
// CHECK: %[[X8:.*]] = vector.extract %[[X]][8]
// CHECK: %[[W4:.*]] = rocdl.exp2 %[[X4]]
// CHECK-COUNT-2: rocdl.exp2
// CHECK: %[[W7:.*]] = rocdl.exp2
// CHECK: vector.from_elements %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[X3]], %[[W4]], %{{[^,]*}}, %{{[^,]*}}, %[[W7]], %[[X8]], {{.*}} : vector<16xf32>
// CHECK-COUNT-16: rocdl.exp2
// CHECK-NOT: rocdl.exp2
// CHECK-NOT: fmha.exp

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
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
^bb0(%x: !s):
  %0 = fmha.exp %x part <1 to 2 of 4> : !s
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
  %2 = fmha.exp %x : !s
  %3 = fmha.to_lanes %2 : !s -> vector<16xf32>
}
