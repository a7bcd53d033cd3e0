// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xf32>, %l: !fmha.tile<64xf32>):
  // expected-error @+1 {{'fmha.normalize' op expected operand #1 to be 32 elements, found 64}}
  %0 = fmha.normalize %o, %l : !fmha.tile<32x64xf32>, !fmha.tile<64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xf32>, %l: !fmha.tile<32x1xf32>):
  // expected-error @+1 {{'fmha.normalize' op operand #1 must be a tile of one dimension of f32, but got '!fmha.tile<32x1xf32>'}}
  %0 = fmha.normalize %o, %l : !fmha.tile<32x64xf32>, !fmha.tile<32x1xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c holds row c; a row lies in lanes c and c + 32.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// One value a row, with the two low lane bits in the wrong order.
#crossed = #fmha.lane_layout<fragment = 1, reg = [], lane = [[2], [1], [4], [8], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x32xf32, #s>, %l: !fmha.tile<32xf32, #crossed>):
  // expected-error @+1 {{'fmha.normalize' op expected lane bits of operand #1 to mean row offsets 1, 2, 4, 8, 16, 0 as in the tile, found 2, 1, 4, 8, 16, 0}}
  %0 = fmha.normalize %o, %l : !fmha.tile<32x32xf32, #s>, !fmha.tile<32xf32, #crossed>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Rows 32 on lie in further registers of the tile, whose wave bit means no row, and in
// the second wave of the row vector.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[0, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #s>, %l: !fmha.tile<64xf32, #rows>):
  // expected-error @+1 {{'fmha.normalize' op expected wave bits of operand #1 to mean row offsets 0 as in the tile, found 32}}
  %0 = fmha.normalize %o, %l : !fmha.tile<64x32xf32, #s>, !fmha.tile<64xf32, #rows>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Both have rows 32 and 64 in registers, in opposite order. The register bits of the
// columns have no counterpart.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [[64], [32]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<128x32xf32, #s>, %l: !fmha.tile<128xf32, #rows>):
  // expected-error @+1 {{'fmha.normalize' op expected register bits of operand #1 to mean row offsets 32, 64 as in the tile, found 64, 32}}
  %0 = fmha.normalize %o, %l : !fmha.tile<128x32xf32, #s>, !fmha.tile<128xf32, #rows>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xbf16>, %l: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.normalize' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32x64xbf16>'}}
  %0 = fmha.normalize %o, %l : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xf32>, %l: !fmha.tile<32xbf16>):
  // expected-error @+1 {{'fmha.normalize' op operand #1 must be a tile of one dimension of f32, but got '!fmha.tile<32xbf16>'}}
  %0 = fmha.normalize %o, %l : !fmha.tile<32x64xf32>, !fmha.tile<32xbf16>
}
