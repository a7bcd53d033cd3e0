// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// A recipe that places vector memory has it between other instructions: walls that follow a copy
// hold up nothing, and the select of which its address is made is no instruction of its own.
// CHECK: fmha.wall
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.raw.ptr.buffer.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: %[[AT:.*]] = arith.select
// CHECK-NEXT: rocdl.raw.ptr.buffer.load %{{.*}}, %[[AT]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: llvm.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.select %{{.*}} : f32
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>

// In one that does not, the wall stays between the copy and the read, and the select is a vector
// instruction.
// CHECK: rocdl.s.barrier
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: arith.select
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.raw.ptr.buffer.load.lds
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.sched_barrier {{.*}}ds_read
// CHECK-NEXT: llvm.load

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %c: vector<16xf32>, %x: f32, %y: i1, %lds: !llvm.ptr<3>, %rsrc: !llvm.ptr<8>, %i: i32, %j: i32):
  fmha.wall
  %0 = rocdl.raw.ptr.buffer.load %rsrc, %i, %i, %i : i32
  amdgpu.sched_barrier allow = <valu|salu|ds_read>
  %1 = arith.cmpi slt, %i, %j : i32
  %2 = arith.select %1, %i, %j : i32
  %3 = rocdl.raw.ptr.buffer.load %rsrc, %2, %i, %i : i32
  amdgpu.sched_barrier allow = <valu|salu|ds_read>
  %4 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %5 = arith.select %y, %x, %x : f32
  %m0 = amdgpu.mfma 32x32x16 %a * %a + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %m1 = amdgpu.mfma 32x32x16 %a * %a + %m0 blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 16, 1, 0
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 16, 1, 0
  rocdl.sched.group.barrier 256, 1, 0
  rocdl.sched.group.barrier 2, 1, 0
  rocdl.s.barrier
  %6 = arith.cmpi slt, %i, %j : i32
  %7 = arith.select %6, %i, %j : i32
  rocdl.raw.ptr.buffer.load.lds %rsrc, %lds, %i, %7, %i, %i, %i
  amdgpu.sched_barrier allow = <valu|salu|ds_read>
  %9 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %m2 = amdgpu.mfma 32x32x16 %a * %a + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  rocdl.sched.group.barrier 2, 1, 0
  rocdl.sched.group.barrier 8, 1, 0
  fmha.wall
}
