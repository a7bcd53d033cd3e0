// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-wave-stagger | FileCheck %s

// The distance is the schedule's. No stage here reads LDS: it opens before the first,
// here within a loop, so before that.
// CHECK: fmha.stagger second barriers 3
// CHECK-NEXT: fmha.kv_loop
// CHECK: fmha.stage
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.yield
// CHECK-NEXT: }
// CHECK-NEXT: fmha.stagger first barriers 3

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 3, instructions = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%i: i32, %hi: i32):
  fmha.kv_loop %t = %i to %hi step 2 {
    fmha.stage @scores compute {
      fmha.yield
    }
    fmha.yield
  }
}
