// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.kernel @k problem(#{{.*}}) schedule(#{{.*}}) {
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %l: !fmha.tile<32xf32>):
  // CHECK: fmha.stagger second barriers 1
  fmha.stagger second barriers 1
  // CHECK: fmha.stagger first barriers 4
  fmha.stagger first barriers 4
  // CHECK: rocdl.s.setprio 3
  rocdl.s.setprio 3
  // CHECK: rocdl.s.nop 15
  rocdl.s.nop 15
  // CHECK: rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 8, 1, 0
  // CHECK: rocdl.sched.group.barrier 2, 2, 0
  rocdl.sched.group.barrier 2, 2, 0
  // CHECK: rocdl.sched.group.barrier 1024, 3, 0
  rocdl.sched.group.barrier 1024, 3, 0
  // CHECK: rocdl.sched.group.barrier 256, 4, 0
  rocdl.sched.group.barrier 256, 4, 0
  // CHECK: rocdl.sched.group.barrier 16, 5, 0
  rocdl.sched.group.barrier 16, 5, 0
  // CHECK: rocdl.sched.group.barrier 4, 6, 0
  rocdl.sched.group.barrier 4, 6, 0
  // CHECK: fmha.anchor %{{.*}}, %{{.*}} : !fmha.tile<32x64xf32>, !fmha.tile<32xf32>
  fmha.anchor %x, %l : !fmha.tile<32x64xf32>, !fmha.tile<32xf32>
  // CHECK: fmha.wall{{$}}
  fmha.wall
}
