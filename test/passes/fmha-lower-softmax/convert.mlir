// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Two weights an instruction, so that a recipe may put others between. 16 weights are two
// fragments of P of 8; the first is rounded here, the second onto it.
// CHECK: %[[X:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>
// CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
// CHECK: %[[X1:.*]] = vector.extract %[[X]][1]
// CHECK: %[[P0:.*]] = vector.from_elements %[[X0]], %[[X1]] : vector<2xf32>
// CHECK: arith.truncf %[[P0]] : vector<2xf32> to vector<2xbf16>
// CHECK-COUNT-3: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK-NOT: arith.truncf
// CHECK: %[[LOW:.*]] = llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
// CHECK: fmha.from_lanes %[[LOW]], %{{.*}}
// CHECK: %[[BEFORE:.*]]:2 = fmha.to_lanes
// CHECK: %[[X8:.*]] = vector.extract %{{.*}}[8]
// CHECK: %[[X9:.*]] = vector.extract %{{.*}}[9]
// CHECK: %[[P8:.*]] = vector.from_elements %[[X8]], %[[X9]] : vector<2xf32>
// CHECK: arith.truncf %[[P8]]
// CHECK-COUNT-3: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: %[[HIGH:.*]] = llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
// CHECK: fmha.from_lanes %[[BEFORE]]#0, %[[HIGH]]
// CHECK-NOT: fmha.convert

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
  %0 = fmha.convert %x part <0 to 1 of 2> : !s -> !p
  %1 = fmha.convert %x part <1 to 2 of 2> onto %0 : !p : !s -> !p
  %2:2 = fmha.to_lanes %1 : !p -> vector<8xbf16>, vector<8xbf16>
}
