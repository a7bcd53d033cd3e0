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
^bb0(%s: !fmha.tile<32x64xf32>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>, %f: f32):
  // CHECK: %s_new, %base_new, %limit_new, %m_new, %correction, %changed = fmha.rebase %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
  // CHECK: fmha.rebase %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} factor %{{.*}} : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
  %s2, %base2, %limit2, %m2, %c2, %any2 = fmha.rebase %s, %base, %limit, %m factor %f : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
}
