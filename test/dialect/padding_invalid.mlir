// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected cols in 1..32, found 0}}
module attributes {test.t = !fmha.tile<32x32xbf16, cols = 0>} {}

// -----

// expected-error @+1 {{expected cols in 1..32, found 33}}
module attributes {test.t = !fmha.tile<64x32xbf16, cols = 33>} {}

// -----

// A row has no columns to pad; its only dimension is what cols counts.
// expected-error @+1 {{expected cols in 1..32, found 64}}
module attributes {test.t = !fmha.tile<32xf32, cols = 64>} {}

// -----

// The step of columns 16 on holds no data.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.tile<32x32xbf16, cols = 16, #k>):
  // expected-error @+1 {{'fmha.to_lanes' op expected 1 fragments, found 2}}
  %0:2 = fmha.to_lanes %t : !fmha.tile<32x32xbf16, cols = 16, #k> -> vector<8xbf16>, vector<8xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<24, bf16>, %i: i32):
  %at0 = fmha.rows k %view, %i : !fmha.view<24, bf16>
  // expected-error @+1 {{'fmha.load' op expected a tile of 24 columns as a row has, found 32}}
  %0 = fmha.load k %at0 : !fmha.rows<24, bf16> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32):
  %at1 = fmha.rows v %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.load' op expected a tile of 32 columns as a row has, found 24}}
  %0 = fmha.load v %at1 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16, cols = 24>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x32xf32, cols = 24>, %view: !fmha.view<32, bf16>):
  // expected-error @+1 {{'fmha.store_o' op expected a tile of 32 columns as the view has, found 24}}
  fmha.store_o %o, %view : !fmha.tile<32x32xf32, cols = 24>, !fmha.view<32, bf16>
}
