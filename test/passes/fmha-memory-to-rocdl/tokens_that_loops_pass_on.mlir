// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// A copy before the loop and one in it, each read a round later: what stands for its token
// goes where the token went, until the loop is lowered.
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: %[[T:.*]] = fmha.no_token
// CHECK: fmha.kv_loop %{{.*}} iter_args(%{{.*}} = %[[T]]) -> (!fmha.token) {
// CHECK: llvm.load
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: %[[NEXT:.*]] = fmha.no_token
// CHECK: fmha.yield %[[NEXT]] : !fmha.token
// CHECK-NOT: fmha.copy k

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line of 1024, lines padded by 16: 4 * 1040 = 4160
// bytes.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 4160, conflict_ways = 1>
// 4 lanes along a row, 16 rows; the wave chooses the line, 32 keys on the next load.
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!k = !fmha.lds<64x32xbf16, 128, #lds>
!v = !fmha.lds<64x32xbf16, 4352, #lds>
!view = !fmha.view<32, bf16>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!kt = !fmha.tile<64x32xbf16, #k>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  %k = fmha.lds_buffer k : !k
  %view = fmha.view k : !view
  %at0 = fmha.rows k %view, %lo : !view
  %first = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !k
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%token = %first) -> (!fmha.token) {
    %0 = fmha.read k %k after %token : !k -> !kt
    %1:4 = fmha.to_lanes %0 : !kt -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %at1 = fmha.rows k %view, %t : !view
    %next = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<32, bf16>, !k
    fmha.yield %next : !fmha.token
  }
}
