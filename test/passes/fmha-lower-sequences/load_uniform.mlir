// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-sequences | FileCheck %s

// The bytes at the array's address + offset; where the load stands, which may be
// anywhere.
// CHECK: ^bb0(%[[OFFSET:.*]]: i64):
// CHECK: %[[BASE:.*]] = fmha.arg sink : i64
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[BASE]], %[[OFFSET]] : i64
// CHECK: %[[P:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<4>
// CHECK: %[[X:.*]] = llvm.load %[[P]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> f32
// CHECK: arith.negf %[[X]] : f32
// CHECK-NOT: fmha.load_uniform

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, sink = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%offset: i64):
  %0 = fmha.load_uniform sink at %offset : f32
  %1 = arith.negf %0 : f32
}
