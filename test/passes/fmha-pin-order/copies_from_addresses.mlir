// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// Loads from addresses of lanes, to LDS and to registers, are vector memory instructions, which a
// recipe places between others. Those of LDS are not.
// CHECK: fmha.wall
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.global.load.lds
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %c: vector<16xf32>, %lds: !llvm.ptr<3>, %address: !llvm.ptr<1>):
  fmha.wall
  rocdl.global.load.lds %address, %lds, 16, 0, 0
  %0 = llvm.load %address : !llvm.ptr<1> -> vector<4xi32>
  %1 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %m0 = amdgpu.mfma 32x32x16 %a * %a + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %m1 = amdgpu.mfma 32x32x16 %a * %a + %m0 blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 16, 1, 0
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 16, 1, 0
  rocdl.sched.group.barrier 256, 1, 0
  fmha.wall
}
