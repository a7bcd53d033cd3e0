// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// A packed sequence begins at a row of the tensor: base + start * row stride + head *
// head stride, no batch. O by its row stride, LSE, of 4 bytes a row, by 4.
// CHECK: fmha.kernel
// CHECK-NOT: _batch_stride
// CHECK: %[[START:.*]] = fmha.seq_start q : i64
// CHECK: %[[RS:.*]] = fmha.arg o_row_stride : i64
// CHECK: %[[PLACE:.*]] = arith.muli %[[START]], %[[RS]] : i64
// CHECK: %[[BASE:.*]] = fmha.arg o : i64
// CHECK: %[[HS:.*]] = fmha.arg o_head_stride : i64
// CHECK: %[[H:.*]] = arith.muli %{{.*}}, %[[HS]] : i64
// CHECK: %[[PH:.*]] = arith.addi %[[PLACE]], %[[H]] : i64
// CHECK: arith.addi %[[BASE]], %[[PH]] : i64
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: _batch_stride
// CHECK: %[[LSTART:.*]] = fmha.seq_start q : i64
// CHECK: %[[C4:.*]] = arith.constant 4 : i64
// CHECK: arith.muli %[[LSTART]], %[[C4]] : i64
// CHECK: fmha.arg lse : i64
// CHECK: fmha.arg lse_head_stride : i64
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: _batch_stride

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true, varlen_q = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #o>, %x: !row):
  %view = fmha.view o : !fmha.view<32, bf16>
  %lse = fmha.view lse : !fmha.view<1, f32>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, bf16>
  fmha.store_lse %x, %lse : !row, !fmha.view<1, f32>
}
