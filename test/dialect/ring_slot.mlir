// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 4 lines of 1024, so 4 loads of the one wave.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!view = !fmha.view<32, bf16>
!kt = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%n: i32):
  // CHECK: %[[A:.*]] = fmha.lds_buffer k : !fmha.lds<64x32xbf16, 0, #[[L:.*]]>
  %k0 = fmha.lds_buffer k : !k0
  // CHECK: %[[B:.*]] = fmha.lds_buffer k : !fmha.lds<64x32xbf16, 4096, #[[L]]>
  %k1 = fmha.lds_buffer k : !k1
  // CHECK: fmha.ring_slot %{{.*}} of %[[A]], %[[B]] : !fmha.lds<64x32xbf16, 0, #[[L]]>, !fmha.lds<64x32xbf16, 4096, #[[L]]>
  %slot = fmha.ring_slot %n of %k0, %k1 : !k0, !k1
}
