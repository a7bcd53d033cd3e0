// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-sequences | FileCheck %s

// Q is packed, K and V are of lengths of their own: one array for each.
// CHECK: fmha.kernel
// CHECK-NOT: {{(fmha.arg|llvm.load)}}
// CHECK: fmha.arg seqlens_kv : i64
// CHECK: llvm.load
// CHECK-NOT: {{(fmha.arg|llvm.load)}}
// CHECK: fmha.arg cu_seqlens_q : i64
// CHECK: llvm.load
// CHECK: fmha.arg cu_seqlens_q : i64
// CHECK: llvm.load
// CHECK-NOT: {{(fmha.arg|llvm.load)}}

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, varlen_q = true, lengths_kv = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %0 = fmha.seq_len q : i32
  %1 = fmha.seq_len kv : i32
  %2 = arith.addi %0, %1 : i32
}
