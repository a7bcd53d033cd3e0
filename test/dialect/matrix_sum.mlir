// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
// CHECK: sums = <m = 16, n = 16, k = 32>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.kernel @k
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %l: !fmha.tile<32xf32>):
  // CHECK: %[[A:.*]] = fmha.matrix_sum %{{.*}} to %{{.*}} part <0 to 1 of 2> : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>
  %0 = fmha.matrix_sum %p to %l part <0 to 1 of 2> : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>
  // CHECK: %[[B:.*]] = fmha.matrix_sum %{{.*}} to %[[A]] : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>
  %1 = fmha.matrix_sum %p to %0 : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>
  // CHECK: fmha.move_rows %[[B]] : !fmha.tile<32xf32> -> !fmha.tile<32xf32>
  %2 = fmha.move_rows %1 : !fmha.tile<32xf32> -> !fmha.tile<32xf32>
  // CHECK: fmha.move_rows %[[B]] parts 2 : !fmha.tile<32xf32> -> !fmha.tile<32xf32>
  %3 = fmha.move_rows %1 parts 2 : !fmha.tile<32xf32> -> !fmha.tile<32xf32>
}
