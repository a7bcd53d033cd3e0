// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// Of a grid, which is not printed in the problem.
// CHECK: fmha.kernel @grid problem(#{{.*}}) schedule(#{{.*}}) {
// CHECK-NEXT: fmha.work grid (%[[ROW:.*]], %[[HEAD:.*]], %[[BATCH:.*]]) {
// CHECK-NEXT: arith.addi %[[ROW]], %[[BATCH]] : i32
#in_grid = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = grid>
fmha.kernel @grid problem(#in_grid) schedule(#schedule) {
  fmha.work grid (%row, %head, %batch) {
    %0 = arith.addi %row, %batch : i32
  }
}

// CHECK: fmha.work list (%{{.*}}, %{{.*}}, %{{.*}}, %[[KEY:.*]], %[[END:.*]], %[[PART:.*]]) {
// CHECK-NEXT: arith.subi %[[END]], %[[KEY]] : i32
#in_parts = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = list, parts = true>
fmha.kernel @list problem(#in_parts) schedule(#schedule) {
  fmha.work list (%row, %head, %batch, %key, %end, %part) {
    %0 = arith.subi %end, %key : i32
  }
}
