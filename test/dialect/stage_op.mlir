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
^bb0(%x: !fmha.tile<32x64xf32>, %any: i1, %t: !fmha.token):
  // CHECK: fmha.stage @nothing memory {
  // CHECK-NEXT: fmha.yield
  // CHECK-NEXT: }{{$}}
  fmha.stage @nothing memory {
    fmha.yield
  }
  // Tiles, conditions and tokens leave it.
  // CHECK: %[[C:.*]]:3 = fmha.stage @weights compute {
  // CHECK-NEXT: %[[E:.*]] = fmha.exp
  // CHECK-NEXT: fmha.yield %[[E]], %{{.*}}, %{{.*}} : !fmha.tile<32x64xf32>, i1, !fmha.token
  // CHECK-NEXT: } : !fmha.tile<32x64xf32>, i1, !fmha.token
  %0:3 = fmha.stage @weights compute {
    %1 = fmha.exp %x : !fmha.tile<32x64xf32>
    fmha.yield %1, %any, %t : !fmha.tile<32x64xf32>, i1, !fmha.token
  } : !fmha.tile<32x64xf32>, i1, !fmha.token
  // CHECK: fmha.exp %[[C]]#0
  %2 = fmha.exp %0#0 : !fmha.tile<32x64xf32>
}
