// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// The index goes on by the step. A condition is carried as it is; a token is nothing by
// now.
// CHECK: llvm.func @k
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i1) -> (i32, i1) {
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %[[TWO]] : i32
// CHECK: scf.condition(%{{.*}}) %[[NEXT]], %{{.*}} : i32, i1
// CHECK-NOT: fmha.

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %lo = arith.constant 0 : i32
  %hi = fmha.arg seqlen_kv : i32
  %any = arith.constant true
  %token = fmha.no_token
  %r:2 = fmha.kv_loop %t = %lo to %hi iter_args(%a = %any, %b = %token) -> (i1, !fmha.token) step 2 {
    rocdl.s.barrier
    %next = fmha.no_token
    fmha.yield %a, %next : i1, !fmha.token
  }
}
