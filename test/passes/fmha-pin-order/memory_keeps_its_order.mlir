// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// What reads or writes memory stays in its order: the read of LDS after the wait. What
// opens the step stays at its front. A branch goes after what is used in it.
// CHECK: fmha.wall
// CHECK-NEXT: rocdl.s.nop 3
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[E:.*]] = rocdl.exp2
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: llvm.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: llvm.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.addf %[[E]]
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<16xf32>, %x: f32, %y: i1, %lds: !llvm.ptr<3>):
  fmha.wall
  rocdl.s.nop 3
  rocdl.s.setprio 1
  %0 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  amdgpu.memory_counter_wait ds(0)
  %1 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %e = rocdl.exp2 %x f32 -> f32
  %2 = scf.if %y -> f32 {
    %3 = arith.addf %e, %x : f32
    scf.yield %3 : f32
  } else {
    scf.yield %x : f32
  }
  %m0 = amdgpu.mfma 32x32x16 %a * %b + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 1024, 1, 0
  rocdl.sched.group.barrier 256, 2, 0
  rocdl.s.barrier
}
