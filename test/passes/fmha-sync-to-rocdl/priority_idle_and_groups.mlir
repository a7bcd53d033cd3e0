// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// s_nop n gives n + 1 slots away. Masks of sched_group_barrier (LLVM AMDGPUUsage): VALU
// 0x2, SALU 0x4, MFMA 0x8, VMEM 0x10, DS read 0x100, TRANS 0x400.
// CHECK: fmha.kernel
// CHECK-NEXT: rocdl.s.nop 7
// CHECK: rocdl.s.setprio 3
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 2, 2, 0
// CHECK-NEXT: rocdl.sched.group.barrier 1024, 3, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 4, 0
// CHECK-NEXT: rocdl.sched.group.barrier 16, 5, 0
// CHECK-NEXT: rocdl.sched.group.barrier 4, 6, 0
// CHECK: rocdl.s.setprio 0
// A wall alone is no barrier.
// CHECK-NOT: rocdl.s.barrier
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-NOT: fmha.wall

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  rocdl.s.nop 7
  rocdl.s.setprio 3
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.sched.group.barrier 2, 2, 0
  rocdl.sched.group.barrier 1024, 3, 0
  rocdl.sched.group.barrier 256, 4, 0
  rocdl.sched.group.barrier 16, 5, 0
  rocdl.sched.group.barrier 4, 6, 0
  rocdl.s.setprio 0
  fmha.wall
}
