// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// A descriptor for the slice of one batch and head: base + batch * batch stride +
// head * head stride. It ends with the last element of the last row:
// (Sq - 1) * row stride + 32 * 2 bytes, so that the rest of a strided row is outside.
// CHECK: fmha.kernel
// CHECK: %[[BATCH:.*]] = fmha.id batch : i32
// CHECK: %[[BATCH64:.*]] = arith.extui %[[BATCH]] : i32 to i64
// CHECK: %[[BS:.*]] = fmha.arg q_batch_stride : i64
// CHECK: %[[B:.*]] = arith.muli %[[BATCH64]], %[[BS]] : i64
// CHECK: %[[BASE:.*]] = fmha.arg q : i64
// CHECK: %[[HEAD:.*]] = fmha.id head : i32
// CHECK: %[[HEAD64:.*]] = arith.extui %[[HEAD]] : i32 to i64
// CHECK: %[[HS:.*]] = fmha.arg q_head_stride : i64
// CHECK: %[[H:.*]] = arith.muli %[[HEAD64]], %[[HS]] : i64
// CHECK: %[[BH:.*]] = arith.addi %[[B]], %[[H]] : i64
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[BASE]], %[[BH]] : i64
// CHECK: %[[PTR:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<1>
// CHECK: %[[NOSTRIDE:.*]] = arith.constant 0 : i16
// CHECK: %[[SQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[SQ]], %[[ONE]] : i32
// CHECK: %[[LAST64:.*]] = arith.extui %[[LAST]] : i32 to i64
// CHECK: %[[RS:.*]] = fmha.arg q_row_stride : i64
// CHECK: %[[ROWS:.*]] = arith.muli %[[LAST64]], %[[RS]] : i64
// CHECK: %[[ROW:.*]] = arith.constant 64 : i64
// CHECK: %[[EXTENT:.*]] = arith.addi %[[ROWS]], %[[ROW]] : i64
//
// Word 3, a raw buffer of 32-bit data: 0x27000 = 159744.
// CHECK: %[[FLAGS:.*]] = arith.constant 159744 : i32
// CHECK: rocdl.make.buffer.rsrc %[[PTR]], %[[NOSTRIDE]], %[[EXTENT]], %[[FLAGS]] : <1> to <8>
//
// K and V have fewer heads: (head * reciprocal) >> 32, the launcher's division.
// CHECK: fmha.arg k_batch_stride : i64
// CHECK: fmha.arg k : i64
// CHECK: %[[KH:.*]] = fmha.id head : i32
// CHECK: %[[KH64:.*]] = arith.extui %[[KH]] : i32 to i64
// CHECK: %[[REC:.*]] = fmha.arg kv_head_reciprocal : i64
// CHECK: %[[PROD:.*]] = arith.muli %[[KH64]], %[[REC]] : i64
// CHECK: %[[SHIFT:.*]] = arith.constant 32 : i64
// CHECK: %[[KVHEAD:.*]] = arith.shrui %[[PROD]], %[[SHIFT]] : i64
// CHECK: %[[KHS:.*]] = fmha.arg k_head_stride : i64
// CHECK: arith.muli %[[KVHEAD]], %[[KHS]] : i64
// CHECK: fmha.seq_len kv : i32
// CHECK: fmha.arg k_row_stride : i64
// CHECK: rocdl.make.buffer.rsrc
//
// V: its own strides.
// CHECK: fmha.arg v_batch_stride : i64
// CHECK: fmha.arg v : i64
// CHECK: fmha.arg kv_head_reciprocal : i64
// CHECK: fmha.arg v_head_stride : i64
// CHECK: fmha.seq_len kv : i32
// CHECK: fmha.arg v_row_stride : i64
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: rocdl.make.buffer.rsrc
//
// The view of O is left to the stores.
// CHECK: = fmha.view o
// CHECK-NOT: = fmha.view

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line of 1024, lines padded by 16: 4 * 1040 = 4160
// bytes.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 4160, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!k = !fmha.lds<64x32xbf16, 128, #lds>
!v = !fmha.lds<64x32xbf16, 4352, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32, %out: !fmha.tile<64x32xf32, #o>):
  %kbuf = fmha.lds_buffer k : !k
  %vbuf = fmha.lds_buffer v : !v
  %q = fmha.view q : !view
  %k = fmha.view k : !view
  %v = fmha.view v : !view
  %o = fmha.view o : !view
  %0 = fmha.load_q %q : !view -> !fmha.tile<64x32xbf16, #q>
  %at0 = fmha.rows k %k, %t : !view
  %1 = fmha.copy k %at0 into %kbuf dma(#dma) : !fmha.rows<32, bf16>, !k
  %at1 = fmha.rows v %v, %t : !view
  %2 = fmha.copy v %at1 into %vbuf dma(#dma) : !fmha.rows<32, bf16>, !v
  fmha.store_o %out, %o : !fmha.tile<64x32xf32, #o>, !view
}
