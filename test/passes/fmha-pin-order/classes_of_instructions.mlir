// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// One group for each instruction, last class first. Of two maxima of which one takes the
// other as its first operand, one instruction becomes, v_max3: they count as one.
// CHECK: fmha.wall
// CHECK-NEXT: rocdl.raw.ptr.buffer.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.ds.read.tr16.b64
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.exp2
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[M:.*]] = arith.maxnumf
// CHECK-NEXT: arith.maxnumf %[[M]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.maxnumf
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.subf
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[C:.*]] = arith.cmpf
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.select %[[C]]
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: llvm.intr.fma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.cvt.scalef32.pk.bf16.fp8
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.cvt.scalef32.pk.bf16.bf8
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.cvt.scalef32.pk.f16.fp8
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.cvt.scalef32.pk.f16.bf8
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// A load of memory that is not LDS is of no class here, and has no wall.
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<4>
// CHECK-NEXT: fmha.wall

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<16xf32>, %x: f32, %y: f32, %w: vector<2xf32>, %lds: !llvm.ptr<3>, %arg: !llvm.ptr<4>, %rsrc: !llvm.ptr<8>, %i: i32):
  fmha.wall
  %m0 = amdgpu.mfma 32x32x16 %a * %b + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %0 = arith.maxnumf %x, %y : f32
  %1 = arith.maxnumf %0, %x : f32
  %2 = arith.maxnumf %y, %1 : f32
  %3 = arith.subf %x, %y : f32
  %4 = arith.cmpf ogt, %x, %y : f32
  %5 = arith.select %4, %x, %y : f32
  %6 = llvm.intr.fma(%x, %y, %x) : (f32, f32, f32) -> f32
  %7 = arith.truncf %w : vector<2xf32> to vector<2xbf16>
  %13 = rocdl.cvt.scalef32.pk.bf16.fp8 %i[false], %x : vector<2xbf16>
  %14 = rocdl.cvt.scalef32.pk.bf16.bf8 %i[true], %x : vector<2xbf16>
  %15 = rocdl.cvt.scalef32.pk.f16.fp8 %i[false], %x : vector<2xf16>
  %16 = rocdl.cvt.scalef32.pk.f16.bf8 %i[true], %x : vector<2xf16>
  %8 = rocdl.exp2 %x f32 -> f32
  %9 = rocdl.raw.ptr.buffer.load %rsrc, %i, %i, %i : i32
  %10 = rocdl.ds.read.tr16.b64 %lds : !llvm.ptr<3> -> vector<4xbf16>
  %11 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %12 = llvm.load %arg : !llvm.ptr<4> -> i32
  rocdl.sched.group.barrier 16, 1, 0
  rocdl.sched.group.barrier 256, 1, 0
  rocdl.sched.group.barrier 256, 1, 0
  rocdl.sched.group.barrier 1024, 1, 0
  rocdl.sched.group.barrier 2, 1, 0
  rocdl.sched.group.barrier 2, 10, 0
  rocdl.sched.group.barrier 8, 1, 0
  fmha.wall
}
