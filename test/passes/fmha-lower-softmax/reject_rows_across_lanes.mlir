// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax -split-input-file -verify-diagnostics

// S not transposed: a row of 32 columns over 32 lanes. Only lanes that differ in
// bits 4 and 5 can be exchanged.
#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<64x32xf32, #s>, %m: !row, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected a row to be spread over lane bits 4 and 5 only, found bit 0}}
  %p, %a, %b, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<64x32xf32, #s>, !row -> !fmha.tile<64x32xbf16, #s>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #s>, %c: !row):
  // expected-error-re @+1 {{'fmha.rescale' op expected a fragment to lie in one row, found #fmha.lane_layout<fragment = 16, reg = {{\[\[}}1, 0], {{.*}}>}}
  %0 = fmha.rescale %o, %c : !fmha.tile<64x32xf32, #s>, !row
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #s>, %l: !row):
  // expected-error-re @+1 {{'fmha.normalize' op expected a fragment to lie in one row, found #fmha.lane_layout<fragment = 16, reg = {{\[\[}}1, 0], {{.*}}>}}
  %0 = fmha.normalize %o, %l : !fmha.tile<64x32xf32, #s>, !row
}
