// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// An instruction is taken when what it needs is there. The sum needs the exp2, so the first
// group finds nothing; the second matrix instruction needs the first.
// CHECK: fmha.wall
// CHECK-NEXT: %[[E:.*]] = rocdl.exp2
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[M0:.*]] = amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.addf %[[E]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// What becomes no instruction stands in front of what uses it, and an instruction that it
// is made of is needed through it.
// CHECK-NEXT: %[[V:.*]] = vector.extract %[[M0]][3]
// CHECK-NEXT: arith.mulf %[[V]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.mfma {{.*}} + %[[M0]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: fmha.wall

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<16xf32>, %x: f32):
  fmha.wall
  %m0 = amdgpu.mfma 32x32x16 %a * %b + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %m1 = amdgpu.mfma 32x32x16 %a * %b + %m0 blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %v = vector.extract %m0[3] : f32 from vector<16xf32>
  %e = rocdl.exp2 %x f32 -> f32
  %s = arith.addf %e, %x : f32
  %t = arith.mulf %v, %x : f32
  rocdl.sched.group.barrier 2, 1, 0
  rocdl.sched.group.barrier 1024, 1, 0
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 2, 2, 0
  rocdl.sched.group.barrier 8, 1, 0
  fmha.wall
}
