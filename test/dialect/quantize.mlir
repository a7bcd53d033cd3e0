// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.kernel @k problem(#{{.*}}) schedule(#{{.*}}) {
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16>, %k: !fmha.tile<64x64xf8E4M3FN>, %f: f32, %s: !fmha.tile<32x64xf32>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32xf32>):
  // CHECK: %[[E:.*]] = fmha.row_exponents %{{.*}}, %{{.*}} to f8E4M3FN : !fmha.tile<32x64xbf16> -> !fmha.tile<32xi32>
  %e = fmha.row_exponents %q, %f to f8E4M3FN : !fmha.tile<32x64xbf16> -> !fmha.tile<32xi32>
  // CHECK: fmha.quantize %{{.*}}, %{{.*}} by %[[E]] : !fmha.tile<32x64xbf16>, !fmha.tile<32xi32> -> !fmha.tile<32x64xf8E4M3FN>
  %q8 = fmha.quantize %q, %f by %e : !fmha.tile<32x64xbf16>, !fmha.tile<32xi32> -> !fmha.tile<32x64xf8E4M3FN>
  // CHECK: fmha.quantize %{{.*}}, %{{.*}} by %[[E]] exact : !fmha.tile<32x64xbf16>
  %exact = fmha.quantize %q, %f by %e exact : !fmha.tile<32x64xbf16>, !fmha.tile<32xi32> -> !fmha.tile<32x64xf8E4M3FN>
  // CHECK: fmha.product k %{{.*}}, %{{.*}} by %[[E]] : !fmha.tile<32xi32> : !fmha.tile<32x64xf8E4M3FN>, !fmha.tile<64x64xf8E4M3FN> -> !fmha.tile<32x64xf32>
  %0 = fmha.product k %q8, %k by %e : !fmha.tile<32xi32> : !fmha.tile<32x64xf8E4M3FN>, !fmha.tile<64x64xf8E4M3FN> -> !fmha.tile<32x64xf32>
  // CHECK: fmha.no_max lift 6 : !fmha.tile<32x32xf32>
  %1 = fmha.no_max lift 6 : !fmha.tile<32x32xf32>
  // CHECK: fmha.rebase %{{.*}} lift 6 : !fmha.tile<32x64xf32>
  %s2, %base2, %limit2, %m2, %c2, %any2 = fmha.rebase %s, %base, %limit, %limit lift 6 : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
}
