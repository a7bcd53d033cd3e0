// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.tile<32x32xbf16>):
  // expected-error @+1 {{'fmha.to_lanes' op expected a tile with a lane layout, found none; run fmha-assign-lane-layouts}}
  %0 = fmha.to_lanes %t : !fmha.tile<32x32xbf16> -> vector<8xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%v: vector<8xbf16>):
  // expected-error @+1 {{'fmha.from_lanes' op expected a tile with a lane layout, found none; run fmha-assign-lane-layouts}}
  %0 = fmha.from_lanes %v : vector<8xbf16> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 4 register bits are 16 elements: 2 fragments of 8.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.tile<32x32xbf16, #k>):
  // expected-error @+1 {{'fmha.to_lanes' op expected 2 fragments, found 1}}
  %0 = fmha.to_lanes %t : !fmha.tile<32x32xbf16, #k> -> vector<8xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 4 register bits are 16 elements: 2 fragments of 8.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%v: vector<8xbf16>):
  // expected-error @+1 {{'fmha.from_lanes' op expected 2 fragments, found 3}}
  %0 = fmha.from_lanes %v, %v, %v : vector<8xbf16>, vector<8xbf16>, vector<8xbf16> -> !fmha.tile<32x32xbf16, #k>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 4 register bits are 16 elements: 2 fragments of 8.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.tile<32x32xbf16, #k>):
  // expected-error @+1 {{'fmha.to_lanes' op expected fragments 'vector<8xbf16>', found 'vector<8xf16>'}}
  %0:2 = fmha.to_lanes %t : !fmha.tile<32x32xbf16, #k> -> vector<8xbf16>, vector<8xf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 4 register bits are 16 elements: 2 fragments of 8.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%v: vector<4xbf16>):
  // expected-error @+1 {{'fmha.from_lanes' op expected fragments 'vector<8xbf16>', found 'vector<4xbf16>'}}
  %0 = fmha.from_lanes %v, %v : vector<4xbf16>, vector<4xbf16> -> !fmha.tile<32x32xbf16, #k>
}
