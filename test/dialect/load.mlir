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
^bb0(%view: !fmha.view<32, bf16>, %index: i32):
  %at0 = fmha.rows k %view, %index : !fmha.view<32, bf16>
  // CHECK: fmha.load k %{{.*}} : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %0 = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %at1 = fmha.rows v %view, %index : !fmha.view<32, bf16>
  // CHECK: fmha.load v %{{.*}} : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %1 = fmha.load v %at1 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
}
