// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal @k1_lds() {addr_space = 3
// CHECK-DAG: llvm.mlir.global internal @k2_lds() {addr_space = 3
// CHECK: fmha.kernel @k1
// CHECK: llvm.mlir.addressof @k1_lds
// CHECK: fmha.kernel @k2
// CHECK: llvm.mlir.addressof @k2_lds

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line of 1024, lines padded by 16: 4 * 1040 = 4160
// bytes.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, chunk = 1024 + 16, bytes = 4160, conflict_ways = 1>
// 4 lanes along a row, 16 rows; the wave chooses the line, 32 keys on the next load.
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!k = !fmha.lds<64x32xbf16, 128, #lds>
!v = !fmha.lds<64x32xbf16, 4352, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @k1 problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %k = fmha.lds_buffer k : !k
  %v = fmha.lds_buffer v : !v
  %view = fmha.view k : !view
  %0 = fmha.copy k %view, %t into %k dma(#dma) : !view, !k
  %1 = fmha.copy v %view, %t into %v dma(#dma) : !view, !v
}
fmha.kernel @k2 problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %k = fmha.lds_buffer k : !k
  %v = fmha.lds_buffer v : !v
  %view = fmha.view k : !view
  %0 = fmha.copy k %view, %t into %k dma(#dma) : !view, !k
  %1 = fmha.copy v %view, %t into %v dma(#dma) : !view, !v
}
