// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-pin-order 2>/dev/null | FileCheck %s

// @b asks for two exp2 before the matrix instruction whose result one of them takes: that
// one follows after the recipe. One remark a stage, of the first group that found too
// few, and of the loop only.
// CHECK: fmha.kv_loop
// CHECK: fmha.wall @b
// CHECK-NEXT: rocdl.exp2 %arg
// CHECK: amdgpu.mfma
// CHECK: arith.addf
// CHECK: rocdl.exp2 %{{[0-9]}}
// CHECK: rocdl.s.barrier

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@a memory [load_k]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<16xf32>, %x: f32, %lo: i32, %hi: i32):
  fmha.wall @b
  rocdl.sched.group.barrier 2, 1, 0
  fmha.wall
  fmha.kv_loop %t = %lo to %hi {
    fmha.wall @a
    %e0 = rocdl.exp2 %x f32 -> f32
    rocdl.sched.group.barrier 1024, 1, 0
    fmha.wall
    fmha.wall @b
    %m1 = amdgpu.mfma 32x32x16 %a * %b + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
    %v1 = vector.extract %m1[0] : f32 from vector<16xf32>
    %e1 = rocdl.exp2 %v1 f32 -> f32
    %e2 = rocdl.exp2 %x f32 -> f32
    %s1 = arith.addf %x, %x : f32
    // expected-remark @+1 {{recipe of @b cannot be met in its order: group 1 of 4 asks for 2 trans instructions, found 1 ready there and 1 that need what comes later}}
    rocdl.sched.group.barrier 1024, 2, 0
    rocdl.sched.group.barrier 8, 1, 0
    rocdl.sched.group.barrier 2, 1, 0
    rocdl.sched.group.barrier 16, 1, 0
    fmha.wall
    rocdl.s.barrier
    fmha.wall @b
    rocdl.sched.group.barrier 2, 1, 0
    fmha.wall
    fmha.wall @c
    %s2 = arith.addf %x, %x : f32
    // expected-remark @+1 {{recipe of @c cannot be met in its order: group 1 of 1 asks for 2 valu instructions, found 1 ready there and 0 that need what comes later}}
    rocdl.sched.group.barrier 2, 2, 0
    fmha.wall
    fmha.yield
  }
}
