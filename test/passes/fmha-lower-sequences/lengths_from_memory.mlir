// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-sequences | FileCheck %s

// Length of batch b: element b of an i32 array, at byte 4b. Constant address space 4
// and invariant, so that it becomes a scalar load. Rows still begin at 0.
// CHECK: fmha.kernel
// CHECK: %[[BSK:.*]] = fmha.id batch : i32
// CHECK: %[[SSK:.*]] = arith.constant 0 : i32
// CHECK: %[[ISK:.*]] = arith.addi %[[BSK]], %[[SSK]] : i32
// CHECK: %[[JSK:.*]] = arith.extui %[[ISK]] : i32 to i64
// CHECK: %[[CSK:.*]] = arith.constant 4 : i64
// CHECK: %[[OSK:.*]] = arith.muli %[[JSK]], %[[CSK]] : i64
// CHECK: %[[ASK:.*]] = fmha.arg seqlens_kv : i64
// CHECK: %[[WSK:.*]] = arith.addi %[[ASK]], %[[OSK]] : i64
// CHECK: %[[PSK:.*]] = llvm.inttoptr %[[WSK]] : i64 to !llvm.ptr<4>
// CHECK: %[[SK:.*]] = llvm.load %[[PSK]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
//
// Q has none of its own.
// CHECK: %[[SQ:.*]] = fmha.arg seqlen_q : i32
// CHECK-NOT: llvm.load
// CHECK: arith.addi %[[SQ]], %[[SK]] : i32
// CHECK-NOT: fmha.seq

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %0 = fmha.seq_len q : i32
  %1 = fmha.seq_len kv : i32
  %2 = arith.addi %0, %1 : i32
  %3 = fmha.seq_start kv : i64
  %4 = arith.addi %3, %3 : i64
}
