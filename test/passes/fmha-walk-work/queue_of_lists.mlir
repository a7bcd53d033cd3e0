// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-walk-work | FileCheck %s

// Workgroup w takes list w first, if there is one.
// CHECK: %[[W:.*]] = rocdl.workgroup.id.x
// CHECK: %[[LDS:.*]] = fmha.lds_base 4096
// CHECK: fmha.arg work_counter : i64
// CHECK: %[[V:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[W]], %[[V]] : i32
// CHECK: scf.if %[[ANY]] {
// CHECK: scf.while (%[[LIST:.*]] = %[[W]]) : (i32) -> i32 {
// CHECK: arith.extui %[[LIST]] : i32 to i64
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: %[[END:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: scf.while (%[[I:.*]] = %[[FIRST]]) : (i32) -> i32 {
// CHECK: scf.while (%[[HEAD:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK-DAG: arith.cmpi eq, %{{.*}}, %[[END]] : i32
// CHECK: %[[LAST:.*]] = arith.andi %{{.*}}, %{{.*}} : i1

// In the last item, after its last barrier and before what follows, a lane of the first wave
// fetches: from an address that LLVM takes to be another in each lane.
// CHECK: llvm.inline_asm has_side_effects "before", ""
// CHECK: rocdl.s.barrier
// CHECK: %[[OWN:.*]] = arith.andi %[[LAST]], %{{.*}} : i1
// CHECK: %[[FETCHED:.*]] = scf.if %[[OWN]] -> (i32) {
// CHECK: scf.if %{{.*}} -> (i32) {
// CHECK: %[[AT:.*]] = llvm.inline_asm has_side_effects "", "=v,0" %{{.*}} : (i64) -> i64
// CHECK: %[[COUNTER:.*]] = llvm.inttoptr %[[AT]] : i64 to !llvm.ptr<1>
// CHECK: llvm.atomicrmw uinc_wrap %[[COUNTER]], %{{.*}} syncscope("agent") monotonic
// CHECK: llvm.inline_asm has_side_effects "after", ""

// Then it leaves W and what it fetched in LDS.
// CHECK: scf.if %[[LAST]] {
// CHECK: rocdl.s.barrier
// CHECK: scf.if
// CHECK: scf.if
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %[[FETCHED]] : i32
// CHECK: llvm.store %[[NEXT]], %[[LDS]]

// So it does for a list without items.
// CHECK: %[[NONE:.*]] = arith.cmpi sge, %[[FIRST]], %[[END]] : i32
// CHECK: scf.if %[[NONE]] {
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: rocdl.s.barrier
// CHECK: llvm.store %{{.*}}, %[[LDS]]

// All waves read it there, before any goes on, until it is beyond the lists.
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: %[[FOUND:.*]] = llvm.load %[[LDS]] : !llvm.ptr<3> -> i32
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: %[[L:.*]] = rocdl.readfirstlane %[[FOUND]]
// CHECK: %[[GOES_ON:.*]] = arith.cmpi slt, %[[L]], %[[V]] : i32
// CHECK: scf.condition(%[[GOES_ON]]) %[[L]] : i32
// CHECK-NOT: fmha.work

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = queue>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.work queue (%row, %head, %batch) {
    %lds = fmha.lds_base 4096 : !llvm.ptr<3>
    llvm.inline_asm has_side_effects "before", "" : () -> ()
    rocdl.s.barrier
    llvm.inline_asm has_side_effects "after", "" : () -> ()
  }
}
