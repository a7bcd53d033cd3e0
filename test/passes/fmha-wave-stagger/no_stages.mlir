// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-wave-stagger -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-wave-stagger | FileCheck %s

// Nothing was pipelined, as the pass did not run: no barrier, and a remark.
// CHECK: fmha.kernel @asked
// CHECK-NEXT: }
// CHECK-NOT: rocdl.s.barrier
// CHECK-NOT: fmha.stagger

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
// expected-remark @+1 {{left as it is: it has no stages in a pipeline}}
fmha.kernel @asked problem(#problem) schedule(#schedule) {
}
