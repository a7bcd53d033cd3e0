// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-pin-order | FileCheck %s

// The default, instructions = free, leaves the order to LLVM.
// CHECK: fmha.wall
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: rocdl.exp2
// CHECK-NEXT: rocdl.sched.group.barrier 1024, 1, 0
// CHECK-NEXT: fmha.wall
// CHECK-NOT: rocdl.sched.barrier

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<16xf32>, %x: f32):
  fmha.wall
  %m0 = amdgpu.mfma 32x32x16 %a * %b + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  %e0 = rocdl.exp2 %x f32 -> f32
  rocdl.sched.group.barrier 1024, 1, 0
  fmha.wall
}
