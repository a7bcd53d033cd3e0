// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.kernel @k problem(#{{.*}}) schedule(#{{.*}}) {
fmha.kernel @k problem(#problem) schedule(#schedule) {
  // CHECK: fmha.arg q : i64
  %0 = fmha.arg q : i64
  // CHECK: fmha.arg k : i64
  %1 = fmha.arg k : i64
  // CHECK: fmha.arg v : i64
  %2 = fmha.arg v : i64
  // CHECK: fmha.arg o : i64
  %3 = fmha.arg o : i64
  // CHECK: fmha.arg seqlen_q : i32
  %4 = fmha.arg seqlen_q : i32
  // CHECK: fmha.arg seqlen_kv : i32
  %5 = fmha.arg seqlen_kv : i32
  // CHECK: fmha.arg scale : f32
  %6 = fmha.arg scale : f32
  // CHECK: fmha.arg kv_head_reciprocal : i64
  %7 = fmha.arg kv_head_reciprocal : i64
  // CHECK: fmha.arg q_batch_stride : i64
  %8 = fmha.arg q_batch_stride : i64
  // CHECK: fmha.arg q_head_stride : i64
  %9 = fmha.arg q_head_stride : i64
  // CHECK: fmha.arg q_row_stride : i64
  %10 = fmha.arg q_row_stride : i64
  // CHECK: fmha.arg k_batch_stride : i64
  %11 = fmha.arg k_batch_stride : i64
  // CHECK: fmha.arg k_head_stride : i64
  %12 = fmha.arg k_head_stride : i64
  // CHECK: fmha.arg k_row_stride : i64
  %13 = fmha.arg k_row_stride : i64
  // CHECK: fmha.arg v_batch_stride : i64
  %14 = fmha.arg v_batch_stride : i64
  // CHECK: fmha.arg v_head_stride : i64
  %15 = fmha.arg v_head_stride : i64
  // CHECK: fmha.arg v_row_stride : i64
  %16 = fmha.arg v_row_stride : i64
  // CHECK: fmha.arg o_batch_stride : i64
  %17 = fmha.arg o_batch_stride : i64
  // CHECK: fmha.arg o_head_stride : i64
  %18 = fmha.arg o_head_stride : i64
  // CHECK: fmha.arg o_row_stride : i64
  %19 = fmha.arg o_row_stride : i64
  // CHECK: fmha.arg lse : i64
  %20 = fmha.arg lse : i64
  // CHECK: fmha.arg lse_batch_stride : i64
  %21 = fmha.arg lse_batch_stride : i64
  // CHECK: fmha.arg lse_head_stride : i64
  %22 = fmha.arg lse_head_stride : i64
  // CHECK: fmha.arg cu_seqlens_q : i64
  %23 = fmha.arg cu_seqlens_q : i64
  // CHECK: fmha.arg cu_seqlens_kv : i64
  %24 = fmha.arg cu_seqlens_kv : i64
  // CHECK: fmha.arg seqlens_q : i64
  %25 = fmha.arg seqlens_q : i64
  // CHECK: fmha.arg seqlens_kv : i64
  %26 = fmha.arg seqlens_kv : i64
  // CHECK: fmha.arg sink : i64
  %27 = fmha.arg sink : i64
  // CHECK: fmha.arg alibi_slopes : i64
  %28 = fmha.arg alibi_slopes : i64
  // CHECK: fmha.arg alibi_batch_stride : i64
  %29 = fmha.arg alibi_batch_stride : i64
  // CHECK: fmha.arg bias : i64
  %30 = fmha.arg bias : i64
  // CHECK: fmha.arg bias_batch_stride : i64
  %31 = fmha.arg bias_batch_stride : i64
  // CHECK: fmha.arg bias_head_stride : i64
  %32 = fmha.arg bias_head_stride : i64
  // CHECK: fmha.arg bias_row_stride : i64
  %33 = fmha.arg bias_row_stride : i64
  // CHECK: fmha.arg batch : i32
  %34 = fmha.arg batch : i32
  // CHECK: fmha.arg heads_q : i32
  %35 = fmha.arg heads_q : i32
  // CHECK: fmha.arg heads_kv : i32
  %36 = fmha.arg heads_kv : i32
}
