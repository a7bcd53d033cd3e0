// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-rows -split-input-file -verify-diagnostics

// Signs are flipped by words of 32 bits; a fragment of one bf16 is half of one.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 1, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<64x32xbf16, #q>, %factor: f32):
  // expected-error @+1 {{'fmha.apply_sign' op expected fragments of whole 32-bit words of smaller elements, found 1 elements of 16 bits}}
  %0 = fmha.apply_sign %q, %factor : !fmha.tile<64x32xbf16, #q>
}

// -----

// A word of f32 has one sign, not two.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<64x32xf32, #q>, %factor: f32):
  // expected-error @+1 {{'fmha.apply_sign' op expected fragments of whole 32-bit words of smaller elements, found 8 elements of 32 bits}}
  %0 = fmha.apply_sign %q, %factor : !fmha.tile<64x32xf32, #q>
}
