// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-inline-stages | FileCheck %s

// What a stage held stands in its place, between two walls, before the loop and in it;
// what it gave is what its yield did. The first wall says which stage it was.
// CHECK: fmha.kernel
// CHECK: ^bb0(%[[X:[^:]*]]:
// CHECK-NEXT: fmha.wall @output
// CHECK-NEXT: rocdl.s.nop 3
// CHECK-NEXT: %[[W:.*]] = fmha.exp %[[X]]
// CHECK-NEXT: fmha.wall
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: %[[R:.*]] = fmha.kv_loop %{{.*}} iter_args(%[[IN:.*]] = %[[W]])
// CHECK-NEXT: fmha.wall @output
// CHECK-NEXT: %[[NEXT:.*]] = fmha.exp %[[IN]]
// CHECK-NEXT: rocdl.sched.group.barrier 1024, 8, 0
// CHECK-NEXT: fmha.wall
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.yield %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: fmha.exp %[[R]]
// CHECK-NOT: fmha.stage

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
!s = !fmha.tile<256x64xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !s, %lo: i32, %hi: i32):
  %w = fmha.stage @output compute {
    rocdl.s.nop 3
    %0 = fmha.exp %x : !s
    fmha.yield %0 : !s
  } : !s
  rocdl.s.barrier
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%in = %w) -> (!s) {
    %next = fmha.stage @output compute {
      %0 = fmha.exp %in : !s
      rocdl.sched.group.barrier 1024, 8, 0
      fmha.yield %0 : !s
    } : !s
    rocdl.s.barrier
    fmha.yield %next : !s
  }
  %end = fmha.exp %r : !s
}
