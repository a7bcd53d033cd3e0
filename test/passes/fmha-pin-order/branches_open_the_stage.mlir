// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics | FileCheck %s

// A branch that opens a stage, and the comparison that it is on, stay in front of what the recipe orders;
// so do look-ups after it.
// CHECK: fmha.wall
// CHECK: arith.cmpf une
// CHECK: scf.if
// CHECK: llvm.load volatile
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK: amdgpu.mfma
// CHECK: llvm.load %{{.*}} -> vector<8xbf16>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %c: vector<16xf32>, %table: !llvm.ptr<4>, %lds: !llvm.ptr<3>, %x: f32, %y: f32):
  fmha.wall
  %1 = arith.cmpf une, %x, %y : f32
  %2 = scf.if %1 -> (f32) {
    %3 = arith.mulf %x, %y : f32
    scf.yield %3 : f32
  } else {
    scf.yield %x : f32
  }
  %4 = llvm.load volatile %table : !llvm.ptr<4> -> f32
  amdgpu.sched_barrier allow = <none>
  %6 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %m0 = amdgpu.mfma 32x32x16 %a * %a + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 256, 1, 0
  fmha.wall
}
