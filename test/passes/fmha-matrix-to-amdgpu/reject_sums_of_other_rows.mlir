// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu -verify-diagnostics

// P has rows of 32 on in fragments of their own, l in other lanes: nothing would be the
// sum of them.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#sums = #fmha.lane_layout<fragment = 4, reg = [[16], [0]], lane = [[1], [2], [4], [8], [32], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<64x64xbf16, #p>, %l: !fmha.tile<64xf32, #sums>):
  // expected-error-re @+1 {{'fmha.matrix_sum' op expected a fragment of '!fmha.tile<64xf32,{{.*}}>' that begins with row 32 of a lane, as one of P does, found none}}
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<64x64xbf16, #p>, !fmha.tile<64xf32, #sums>
}
