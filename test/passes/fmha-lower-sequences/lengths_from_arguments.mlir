// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-sequences | FileCheck %s

// Sequences that are neither packed nor of lengths of their own: Sq and Sk, and every
// slice begins at row 0. One value each, wherever and however often it is asked for.
// CHECK: fmha.kernel
// CHECK-DAG: %[[SQ:.*]] = fmha.arg seqlen_q : i32
// CHECK-DAG: %[[SK:.*]] = fmha.arg seqlen_kv : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NOT: llvm.load
// CHECK: fmha.kv_loop
// CHECK-NEXT: arith.addi %[[SQ]], %[[SK]] : i32
// CHECK-NEXT: fmha.yield
// CHECK: arith.addi %[[SQ]], %[[SQ]] : i32
// CHECK: arith.extui %[[SK]] : i32 to i64
// CHECK-NOT: fmha.seq

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  %0 = fmha.seq_len q : i32
  fmha.kv_loop %t = %lo to %hi {
    %1 = fmha.seq_len q : i32
    %2 = fmha.seq_len kv : i32
    %3 = arith.addi %1, %2 : i32
    fmha.yield
  }
  %4 = fmha.seq_len q : i32
  %5 = arith.addi %0, %4 : i32
  %6 = fmha.seq_len kv : i32
  %7 = arith.extui %6 : i32 to i64
  %8 = fmha.seq_start q : i64
  %9 = fmha.seq_start kv : i64
  %10 = arith.addi %8, %9 : i64
}
