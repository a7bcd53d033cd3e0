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
^bb0(%view: !fmha.view<32, bf16>, %index: i32):
  // CHECK: %[[K:.*]] = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #[[LDS:.*]]>
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  // CHECK: %[[V:.*]] = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 2048, #[[LDS]]>
  %v = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 2048, #lds>
  %at0 = fmha.rows k %view, %index : !fmha.view<32, bf16>
  // CHECK: %[[TK:.*]] = fmha.copy k %{{.*}} into %[[K]] dma(#[[DMA:.*]]) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #[[LDS]]>
  %tk = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
  %at1 = fmha.rows v %view, %index : !fmha.view<32, bf16>
  // CHECK: %[[TV:.*]] = fmha.copy v %{{.*}} into %[[V]] dma(#[[DMA]]) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 2048, #[[LDS]]>
  %tv = fmha.copy v %at1 into %v dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 2048, #lds>
  // CHECK: fmha.read k %[[K]] after %[[TK]] : !fmha.lds<32x32xbf16, 0, #[[LDS]]> -> !fmha.tile<32x32xbf16, #[[T:.*]]>
  %0 = fmha.read k %k after %tk : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16, #k>
  // CHECK: fmha.read v %[[V]] after %[[TV]] : !fmha.lds<32x32xbf16, 2048, #[[LDS]]> -> !fmha.tile<32x32xbf16, #[[T]]>
  %1 = fmha.read v %v after %tv : !fmha.lds<32x32xbf16, 2048, #lds> -> !fmha.tile<32x32xbf16, #k>
}
