// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// For each group as many instructions of its class as it names, in the order in which they
// stood. After each a wall of LLVM's schedulers, so that it stays there.
// CHECK: fmha.wall
// CHECK-NEXT: %[[M0:.*]] = amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.exp2 %[[X:.*]] f32 -> f32
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.exp2 %[[Y:.*]] f32 -> f32
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[M1:.*]] = amdgpu.mfma {{.*}} + %[[M0]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.addf %[[X]], %[[Y]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// What no group asks for follows as it stood.
// CHECK-NEXT: amdgpu.mfma {{.*}} + %[[M1]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.rcp %[[X]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: fmha.wall
// CHECK-NOT: rocdl.sched.group.barrier

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<16xf32>, %x: f32, %y: f32):
  fmha.wall
  %m0 = amdgpu.mfma 32x32x16 %a * %b + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %m1 = amdgpu.mfma 32x32x16 %a * %b + %m0 blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %m2 = amdgpu.mfma 32x32x16 %a * %b + %m1 blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %e0 = rocdl.exp2 %x f32 -> f32
  %e1 = rocdl.exp2 %y f32 -> f32
  %r = rocdl.rcp %x f32 -> f32
  %s = arith.addf %x, %y : f32
  %t = arith.mulf %x, %y : f32
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 1024, 2, 0
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 2, 1, 0
  fmha.wall
}
