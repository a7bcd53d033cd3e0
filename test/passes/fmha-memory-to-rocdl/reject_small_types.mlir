// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = f8E5M2, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %view = fmha.view q : !fmha.view<64, f8E5M2>
  // expected-error @+1 {{'fmha.load_q' op expected elements of q to be bf16, f16 or f8E4M3FN, found 'f8E5M2', which no pass lowers yet}}
  %q = fmha.load_q %view : !fmha.view<64, f8E5M2> -> !fmha.tile<32x64xf8E5M2, #q>
}
