// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Packed K: base + start * row stride + head * head stride; Q, not packed, by batch.
// CHECK: fmha.kernel
// CHECK: %[[START:.*]] = fmha.seq_start kv : i64
// CHECK: %[[RS:.*]] = fmha.arg k_row_stride : i64
// CHECK: %[[PLACE:.*]] = arith.muli %[[START]], %[[RS]] : i64
// CHECK: fmha.arg k : i64
// CHECK: %[[PH:.*]] = arith.addi %[[PLACE]], %{{.*}} : i64
// CHECK-NOT: k_batch_stride
// CHECK: fmha.seq_len kv : i32
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: fmha.seq_start
// CHECK: fmha.arg q_batch_stride : i64
// CHECK-NOT: fmha.seq_start

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, varlen_kv = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Lines of 32 rows and 16 columns, 32 * 32 = 1024 bytes; rows 32 on at 1024, columns 16
// on at 2048. The wave chooses the rows, a further load the columns.
#lds = #fmha.lds_layout<row = [32, 64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 2048],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = [[32, 0]]>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %buffer = fmha.lds_buffer k : !buffer
  %k = fmha.view k : !view
  %q = fmha.view q : !view
  %at0 = fmha.rows k %k, %t : !view
  %0 = fmha.copy k %at0 into %buffer dma(#dma) : !fmha.rows<32, bf16>, !buffer
  %1 = fmha.load_q %q : !view -> !fmha.tile<64x32xbf16, #q>
}
