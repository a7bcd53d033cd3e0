// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-wave-stagger | FileCheck %s

// What a stage asks for: idle slots first (s_nop n gives n + 1 away), so that the other
// wave of the SIMD gets in between; a priority for what is in the stage, and the usual one again at its end.
// CHECK: fmha.stage @in memory {
// CHECK-NEXT: rocdl.s.nop 7
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: fmha.no_token
// CHECK-NEXT: fmha.yield
// CHECK-NEXT: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.stage @out compute {
// CHECK-NEXT: rocdl.s.nop 0
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.s.setprio 2
// CHECK-NEXT: fmha.no_token
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: fmha.yield
// CHECK-NEXT: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stagger first barriers 1

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = free, stages = [
    <@in memory [load_k] nops 8>,
    <@out compute [qk] priority 2 nops 1>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.stage @in memory {
    %0 = fmha.no_token
    fmha.yield
  }
  fmha.stage @out compute {
    %0 = fmha.no_token
    fmha.yield
  }
}
