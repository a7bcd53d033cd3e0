// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-walk-work | FileCheck %s

// Workgroup w has the records work_indptr[w] to work_indptr[w + 1], of eight words each; of
// each the heads of bits 0 to 15 up to those of bits 16 to 31. An item takes its arguments,
// its lane, its wave and its place through numbers that LLVM does not follow.
// CHECK: fmha.kernel
// CHECK: fmha.arg work_indptr : i64
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: %[[END:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: fmha.arg work_items : i64
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST]], %[[END]] : i32
// CHECK: scf.if %[[ANY]] {
// CHECK: scf.while (%[[I:.*]] = %[[FIRST]]) : (i32) -> i32 {
// CHECK: llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr<4> -> vector<8xi32>
// CHECK: %[[BATCH:.*]] = vector.extract %{{.*}}[0] : i32 from vector<8xi32>
// CHECK: %[[ROW:.*]] = vector.extract %{{.*}}[2] : i32 from vector<8xi32>
// CHECK: %[[HEADS:.*]] = vector.extract %{{.*}}[7] : i32 from vector<8xi32>
// CHECK: %[[H0:.*]] = arith.andi %[[HEADS]], %{{.*}} : i32
// CHECK: %[[H1:.*]] = arith.shrui %[[HEADS]], %{{.*}} : i32
// CHECK: scf.while (%[[HEAD:.*]] = %[[H0]]) : (i32) -> i32 {
// CHECK: %[[BLOCK:.*]] = llvm.call_intrinsic "llvm.amdgcn.kernarg.segment.ptr"() : () -> !llvm.ptr<4>
// CHECK: llvm.inline_asm has_side_effects "", "=s,0"
// CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: rocdl.mbcnt.hi
// CHECK: %[[LANE:.*]] = llvm.inline_asm has_side_effects "", "=v,0"
// CHECK: %[[WAVE:.*]] = llvm.inline_asm has_side_effects "", "=s,0"
// CHECK: %[[OWN_ROW:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[ROW]]
// CHECK: %[[OWN_BATCH:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[BATCH]]
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s,v,s,s" %[[OWN_ROW]], %[[HEAD]], %[[OWN_BATCH]], %[[LANE]], %[[WAVE]]
// CHECK-NOT: fmha.work

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = list>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.work list (%row, %head, %batch) {
    %lane = fmha.id lane : i32
    %wave = fmha.id wave : i32
    %rows = fmha.arg seqlen_q : i32
    llvm.inline_asm has_side_effects "", "s,s,s,v,s,s" %row, %head, %batch, %lane, %wave, %rows : (i32, i32, i32, i32, i32, i32) -> ()
  }
}
