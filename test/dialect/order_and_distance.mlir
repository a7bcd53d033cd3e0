// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.kernel @k problem(#{{.*}}) schedule(#{{.*}}) {
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %l: !fmha.tile<32xf32>):
  // CHECK: fmha.stagger second barriers 1
  fmha.stagger second barriers 1
  // CHECK: fmha.stagger first barriers 4
  fmha.stagger first barriers 4
  // CHECK: fmha.priority 3
  fmha.priority 3
  // CHECK: fmha.idle 16
  fmha.idle 16
  // CHECK: fmha.sched_group mfma 1
  fmha.sched_group mfma 1
  // CHECK: fmha.sched_group valu 2
  fmha.sched_group valu 2
  // CHECK: fmha.sched_group trans 3
  fmha.sched_group trans 3
  // CHECK: fmha.sched_group ds_read 4
  fmha.sched_group ds_read 4
  // CHECK: fmha.sched_group vmem 5
  fmha.sched_group vmem 5
  // CHECK: fmha.sched_group salu 6
  fmha.sched_group salu 6
  // CHECK: fmha.anchor %{{.*}}, %{{.*}} : !fmha.tile<32x64xf32>, !fmha.tile<32xf32>
  fmha.anchor %x, %l : !fmha.tile<32x64xf32>, !fmha.tile<32xf32>
  // CHECK: fmha.wall{{$}}
  fmha.wall
}
