// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-join | FileCheck %s

// Of a workgroup that has had items before all stores are released. Then, up to all of the unit: the
// group of eight parts that has this one; if there are several, all stores are waited for, all waves meet, and one
// lane asks a counter that wraps at the number of parts, of the tile of parts and the level, and its wave makes the
// caches forget what they have (acquire). Who was last adds up the parts, and releases what is a part again.
// CHECK: %[[LDS:.*]] = fmha.lds_base 1040
// CHECK: %[[LATER:.*]] = arith.cmpi ne, %{{.*}}#4, %{{.*}} : i32
// CHECK: scf.if %[[LATER]] {
// CHECK-NEXT: llvm.fence syncscope("agent") release
// CHECK: %[[END:.*]]:2 = scf.while
// CHECK: %[[COUNT:.*]] = arith.minui
// CHECK: amdgpu.memory_counter_wait load(0) store(0) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: %[[BOUND:.*]] = arith.subi %[[COUNT]]
// CHECK: %[[BEFORE:.*]] = llvm.atomicrmw uinc_wrap %{{.*}}, %[[BOUND]] syncscope("agent") monotonic
// CHECK-NEXT: llvm.fence syncscope("agent") acquire
// CHECK-NEXT: llvm.store %[[BEFORE]], %[[LDS]]
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: %[[READ:.*]] = llvm.load %[[LDS]]
// CHECK: %[[SAME:.*]] = rocdl.readfirstlane %[[READ]]
// CHECK: %[[SUM:.*]] = arith.addi %[[SAME]]
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[SUM]], %[[COUNT]]
// CHECK: scf.if %[[LAST]] {
// Weights of its rows, a lane for each of eight parts, in LDS.
// CHECK-COUNT-3: update.dpp
// CHECK: rocdl.exp2
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[LDS]]
// CHECK: llvm.store %{{.*}}, %[[PLACE]]
// The first two parts are always there, and O is loaded of all, whatever there is of them.
// CHECK: math.fma
// CHECK: math.fma
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: llvm.fence syncscope("agent") release
// CHECK: scf.condition
// The next item writes to LDS.
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NOT: fmha.join_parts

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, work = runs, parts = true>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 4,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %wave = fmha.id wave : i32
  %part:5 = fmha.find_parts of %wave : i32, i32, i32, i32, i32
  fmha.join_parts %part#1 of %part#0 in %part#2 rows %part#3 of (%wave, %wave, %wave) later %part#4 wave %wave
}
