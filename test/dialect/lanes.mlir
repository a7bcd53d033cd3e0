// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K of a 32x32x16 product as the A operand: lane c holds key c, elements are
// columns 8h + e; then the second step of 16 columns.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
// Two lines of 1024 bytes, 16 rows of 64 bytes each; the copy follows them.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

// CHECK: fmha.kernel @k problem(#{{.*}}) schedule(#{{.*}}) {
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>):
  // 4 register bits: 16 elements, 2 fragments of 8.
  // CHECK: %[[T:.*]] = fmha.from_lanes %{{.*}}, %{{.*}} : vector<8xbf16>, vector<8xbf16> -> !fmha.tile<32x32xbf16, #{{.*}}>
  %t = fmha.from_lanes %a, %b : vector<8xbf16>, vector<8xbf16> -> !fmha.tile<32x32xbf16, #k>
  // CHECK: %{{.*}}:2 = fmha.to_lanes %[[T]] : !fmha.tile<32x32xbf16, #{{.*}}> -> vector<8xbf16>, vector<8xbf16>
  %l:2 = fmha.to_lanes %t : !fmha.tile<32x32xbf16, #k> -> vector<8xbf16>, vector<8xbf16>
}
