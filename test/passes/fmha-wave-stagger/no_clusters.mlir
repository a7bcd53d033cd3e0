// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-wave-stagger -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-wave-stagger | FileCheck %s

// Nothing was pipelined, be it that the pass did not run, of which it says so, or that the
// schedule does not ask for it: no barrier.
// CHECK: fmha.kernel @asked
// CHECK-NEXT: }
// CHECK: fmha.kernel @clusters_of_nobody
// CHECK-NOT: fmha.barrier
// CHECK-NOT: fmha.stagger

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>, v = <read = tr_b16, max_pad_bytes = 64, buffers = 2>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv],
  rescale = eager,
  pipeline = <tiles = 2, tail = pad, stagger = 1, order = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
#problem1 = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#unasked = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv],
  rescale = eager>
// expected-remark @+1 {{left as it is: it has no clusters in a pipeline}}
fmha.kernel @asked problem(#problem) schedule(#schedule) {
}
fmha.kernel @clusters_of_nobody problem(#problem) schedule(#unasked) {
  fmha.cluster @scores compute {
    fmha.yield
  }
}
