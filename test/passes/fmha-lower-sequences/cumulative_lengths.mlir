// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-sequences | FileCheck %s

// Packed sequences: batch b has rows c[b] to c[b + 1] of the tensor, where c is the
// array of cumulative lengths: it begins at row c[b] and has c[b + 1] - c[b] rows.
// CHECK: fmha.kernel
// CHECK: %[[BSTART:.*]] = fmha.id batch : i32
// CHECK: %[[SSTART:.*]] = arith.constant 0 : i32
// CHECK: %[[ISTART:.*]] = arith.addi %[[BSTART]], %[[SSTART]] : i32
// CHECK: %[[JSTART:.*]] = arith.extui %[[ISTART]] : i32 to i64
// CHECK: %[[CSTART:.*]] = arith.constant 4 : i64
// CHECK: %[[OSTART:.*]] = arith.muli %[[JSTART]], %[[CSTART]] : i64
// CHECK: %[[ASTART:.*]] = fmha.arg cu_seqlens_q : i64
// CHECK: %[[WSTART:.*]] = arith.addi %[[ASTART]], %[[OSTART]] : i64
// CHECK: %[[PSTART:.*]] = llvm.inttoptr %[[WSTART]] : i64 to !llvm.ptr<4>
// CHECK: %[[START:.*]] = llvm.load %[[PSTART]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: %[[BEGIN:.*]] = arith.extui %[[START]] : i32 to i64
// CHECK: %[[BEND:.*]] = fmha.id batch : i32
// CHECK: %[[SEND:.*]] = arith.constant 1 : i32
// CHECK: %[[IEND:.*]] = arith.addi %[[BEND]], %[[SEND]] : i32
// CHECK: %[[JEND:.*]] = arith.extui %[[IEND]] : i32 to i64
// CHECK: %[[CEND:.*]] = arith.constant 4 : i64
// CHECK: %[[OEND:.*]] = arith.muli %[[JEND]], %[[CEND]] : i64
// CHECK: %[[AEND:.*]] = fmha.arg cu_seqlens_q : i64
// CHECK: %[[WEND:.*]] = arith.addi %[[AEND]], %[[OEND]] : i64
// CHECK: %[[PEND:.*]] = llvm.inttoptr %[[WEND]] : i64 to !llvm.ptr<4>
// CHECK: %[[END:.*]] = llvm.load %[[PEND]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: %[[BFROM:.*]] = fmha.id batch : i32
// CHECK: %[[SFROM:.*]] = arith.constant 0 : i32
// CHECK: %[[IFROM:.*]] = arith.addi %[[BFROM]], %[[SFROM]] : i32
// CHECK: %[[JFROM:.*]] = arith.extui %[[IFROM]] : i32 to i64
// CHECK: %[[CFROM:.*]] = arith.constant 4 : i64
// CHECK: %[[OFROM:.*]] = arith.muli %[[JFROM]], %[[CFROM]] : i64
// CHECK: %[[AFROM:.*]] = fmha.arg cu_seqlens_q : i64
// CHECK: %[[WFROM:.*]] = arith.addi %[[AFROM]], %[[OFROM]] : i64
// CHECK: %[[PFROM:.*]] = llvm.inttoptr %[[WFROM]] : i64 to !llvm.ptr<4>
// CHECK: %[[FROM:.*]] = llvm.load %[[PFROM]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: %[[ROWS:.*]] = arith.subi %[[END]], %[[FROM]] : i32
// CHECK: arith.addi %[[ROWS]], %[[ROWS]] : i32
// CHECK: arith.addi %[[BEGIN]], %[[BEGIN]] : i64
// CHECK-NOT: fmha.seq

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, varlen_q = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %0 = fmha.seq_len q : i32
  %1 = arith.addi %0, %0 : i32
  %2 = fmha.seq_start q : i64
  %3 = arith.addi %2, %2 : i64
}
