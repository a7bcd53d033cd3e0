// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// By name, as users write it.
// CHECK: fmha.score_mod @mine(%[[S:.*]]: f32, %[[R:.*]]: i32, %[[K:.*]]: i32, %[[H:.*]]: i32, %[[B:.*]]: i32) {
// CHECK:   %[[D:.*]] = arith.subi %[[R]], %[[K]] : i32
// CHECK:   %[[F:.*]] = arith.sitofp %[[D]] : i32 to f32
// CHECK:   %[[T:.*]] = math.tanh %[[F]] : f32
// CHECK:   %[[X:.*]] = arith.addf %[[S]], %[[T]] : f32
// CHECK:   fmha.yield %[[X]] : f32
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %d = arith.subi %row, %key : i32
  %f = arith.sitofp %d : i32 to f32
  %t = math.tanh %f : f32
  %x = arith.addf %score, %t : f32
  fmha.yield %x : f32
}

// A body without an op of its own.
// CHECK: fmha.score_mod @same(%[[S:.*]]: f32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32) {
// CHECK-NEXT: fmha.yield %[[S]] : f32
fmha.score_mod @same(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %index: i32):
  // CHECK: %{{.*}} = fmha.score_mod %{{.*}}, %{{.*}} (%[[S:.*]]: f32, %{{.*}}: i32, %{{.*}}: i32, %[[H:.*]]: i32, %{{.*}}: i32) {
  // CHECK: arith.sitofp %[[H]] : i32 to f32
  // CHECK: } : !fmha.tile<32x64xf32>
  %x = fmha.score_mod %s, %index (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %h = arith.sitofp %head : i32 to f32
    %y = arith.mulf %score, %h : f32
    fmha.yield %y : f32
  } : !fmha.tile<32x64xf32>
}
