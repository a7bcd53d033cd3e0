// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics | FileCheck %s

// Look-ups of pages that open a stage stay in front of what the recipe orders: by a scalar load
// and the wall after it, or by a vector load. So does the choice of the tile, which is a select.
// CHECK: fmha.wall
// CHECK: arith.select
// CHECK: llvm.load volatile
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK: rocdl.raw.ptr.buffer.load
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
^bb0(%a: vector<8xbf16>, %c: vector<16xf32>, %table: !llvm.ptr<4>, %lds: !llvm.ptr<3>, %rsrc: !llvm.ptr<8>, %i: i32, %j: i32):
  fmha.wall
  %1 = arith.cmpi slt, %i, %j : i32
  %2 = arith.select %1, %i, %j : i32
  %3 = llvm.getelementptr %table[%2] : (!llvm.ptr<4>, i32) -> !llvm.ptr<4>, i32
  %4 = llvm.load volatile %3 : !llvm.ptr<4> -> i32
  amdgpu.sched_barrier allow = <none>
  %5 = rocdl.raw.ptr.buffer.load %rsrc, %i, %i, %i : i32
  amdgpu.sched_barrier allow = <valu|salu|ds_read>
  %6 = llvm.load %lds : !llvm.ptr<3> -> vector<8xbf16>
  %m0 = amdgpu.mfma 32x32x16 %a * %a + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 256, 1, 0
  fmha.wall
}
