// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Sequences with a length n of their own may have no row, and then end where they begin:
// (max(n, 1) - 1) * row stride + min(n, 1) * 32 * 2 bytes. No select, no unsigned
// comparison: LLVM would move the descriptor to vector registers with them.
// CHECK: fmha.kernel
// CHECK: llvm.inttoptr
// CHECK: %[[SQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[MOST:.*]] = arith.maxsi %[[SQ]], %[[ONE]] : i32
// CHECK: %[[ANY:.*]] = arith.minsi %[[SQ]], %[[ONE]] : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[MOST]], %[[ONE]] : i32
// CHECK: %[[LAST64:.*]] = arith.extui %[[LAST]] : i32 to i64
// CHECK: %[[RS:.*]] = fmha.arg q_row_stride : i64
// CHECK: %[[ROWS:.*]] = arith.muli %[[LAST64]], %[[RS]] : i64
// CHECK: %[[ANY64:.*]] = arith.extui %[[ANY]] : i32 to i64
// CHECK: %[[C64:.*]] = arith.constant 64 : i64
// CHECK: %[[ROW:.*]] = arith.muli %[[ANY64]], %[[C64]] : i64
// CHECK: %[[EXTENT:.*]] = arith.addi %[[ROWS]], %[[ROW]] : i64
// CHECK: rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[EXTENT]], %{{.*}}
// CHECK-NOT: arith.select

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, varlen_q = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %q = fmha.view q : !fmha.view<32, bf16>
  %0 = fmha.load_q %q : !fmha.view<32, bf16> -> !fmha.tile<64x32xbf16, #q>
}
