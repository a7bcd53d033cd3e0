// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// 24 of 32 columns are data: 2 steps of 16 for a K of 32x32x16, both with some of it.
// 16 of 32: the second step holds padding only and is in no register.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: !fmha.tile<32x32xbf16, cols = 24, #k>, %b: !fmha.tile<32x32xbf16, cols = 16, #k>,
     %q: !fmha.tile<32x32xbf16, cols = 24>, %o: !fmha.tile<32x32xf32, cols = 24>, %view: !fmha.view<24, bf16>, %i: i32):
  // CHECK: %{{.*}}:2 = fmha.to_lanes %{{.*}} : !fmha.tile<32x32xbf16, cols = 24, #{{.*}}> -> vector<8xbf16>, vector<8xbf16>
  %0:2 = fmha.to_lanes %a : !fmha.tile<32x32xbf16, cols = 24, #k> -> vector<8xbf16>, vector<8xbf16>
  // CHECK: %[[L:.*]] = fmha.to_lanes %{{.*}} : !fmha.tile<32x32xbf16, cols = 16, #{{.*}}> -> vector<8xbf16>
  %1 = fmha.to_lanes %b : !fmha.tile<32x32xbf16, cols = 16, #k> -> vector<8xbf16>
  // CHECK: fmha.from_lanes %[[L]] : vector<8xbf16> -> !fmha.tile<32x32xbf16, cols = 16, #{{.*}}>
  %2 = fmha.from_lanes %1 : vector<8xbf16> -> !fmha.tile<32x32xbf16, cols = 16, #k>
  %at0 = fmha.rows k %view, %i : !fmha.view<24, bf16>
  // CHECK: fmha.load k %{{.*}} : !fmha.rows<24, bf16> -> !fmha.tile<32x32xbf16, cols = 24>
  %3 = fmha.load k %at0 : !fmha.rows<24, bf16> -> !fmha.tile<32x32xbf16, cols = 24>
  // CHECK: fmha.product k %{{.*}}, %{{.*}} : !fmha.tile<32x32xbf16, cols = 24>, !fmha.tile<32x32xbf16, cols = 24> -> !fmha.tile<32x32xf32>
  %4 = fmha.product k %q, %3 : !fmha.tile<32x32xbf16, cols = 24>, !fmha.tile<32x32xbf16, cols = 24> -> !fmha.tile<32x32xf32>
  // CHECK: fmha.store_o %{{.*}}, %{{.*}} : !fmha.tile<32x32xf32, cols = 24>, !fmha.view<24, bf16>
  fmha.store_o %o, %view : !fmha.tile<32x32xf32, cols = 24>, !fmha.view<24, bf16>
}
