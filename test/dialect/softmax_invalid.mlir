// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %m: !fmha.tile<64xf32>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected m to be 32 elements, found 64}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x64xf32>, !fmha.tile<64xf32> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %m: !fmha.tile<32x1xf32>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected m to have 1 dimensions, found 2}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x64xf32>, !fmha.tile<32x1xf32> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %m: !fmha.tile<32xf32>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected p to be 32x64 elements, found 64x32}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x64xf32>, !fmha.tile<32xf32> -> !fmha.tile<64x32xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf16>, %m: !fmha.tile<32xf32>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected elements of s to be 'f32', found 'f16'}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x64xf16>, !fmha.tile<32xf32> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %m: !fmha.tile<32xbf16>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected elements of m to be 'f32', found 'bf16'}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x64xf32>, !fmha.tile<32xbf16> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %m: !fmha.tile<32xf32>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected elements of p to be bf16 or f16, found 'f32'}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x64xf32>, !fmha.tile<32xf32> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
// S of 32x32x16, transposed: lane c holds row c; a row lies in lanes c and c + 32.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// One value a row, with the two low lane bits in the wrong order.
#crossed = #fmha.lane_layout<fragment = 1, reg = [], lane = [[2], [1], [4], [8], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x32xf32, #s>, %m: !fmha.tile<32xf32, #crossed>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected lane bits of m to mean row offsets 1, 2, 4, 8, 16, 0 as in s, found 2, 1, 4, 8, 16, 0}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<32x32xf32, #s>, !fmha.tile<32xf32, #crossed> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
// Rows 32 on lie in further registers of the tile, whose wave bit means no row, and in
// the second wave of the row vector.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[0, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<64x32xf32, #s>, %m: !fmha.tile<64xf32, #rows>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected wave bits of m to mean row offsets 0 as in s, found 32}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<64x32xf32, #s>, !fmha.tile<64xf32, #rows> -> !fmha.tile<64x32xbf16>
}

// -----

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
// Both have rows 32 and 64 in registers, in opposite order. The register bits of the
// columns have no counterpart.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [[64], [32]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<128x32xf32, #s>, %m: !fmha.tile<128xf32, #rows>, %f: f32):
  // expected-error @+1 {{'fmha.softmax' op expected register bits of m to mean row offsets 32, 64 as in s, found 64, 32}}
  %p, %m1, %l1, %c = fmha.softmax %s, %m, %m, %f : !fmha.tile<128x32xf32, #s>, !fmha.tile<128xf32, #rows> -> !fmha.tile<128x32xbf16>
}
