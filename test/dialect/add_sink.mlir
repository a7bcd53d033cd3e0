// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%sum: !fmha.tile<32xf32>, %sink: f32):
  // CHECK: %{{.*}}, %{{.*}} = fmha.add_sink %{{.*}}, %{{.*}} : !fmha.tile<32xf32>
  %0, %1 = fmha.add_sink %sum, %sink : !fmha.tile<32xf32>
  // One of each row.
  // CHECK: %{{.*}}, %{{.*}} = fmha.add_sink %{{.*}}, %{{.*}} of !fmha.tile<32xf32> : !fmha.tile<32xf32>
  %2, %3 = fmha.add_sink %sum, %sum of !fmha.tile<32xf32> : !fmha.tile<32xf32>
}
