// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32):
  %at0 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.load' op result #0 must be a tile of two dimensions, but got '!fmha.tile<32xbf16>'}}
  %0 = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32):
  %at1 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.load' op expected a tile of 32 columns as a row has, found 16}}
  %0 = fmha.load k %at1 : !fmha.rows<32, bf16> -> !fmha.tile<32x16xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f16>, %i: i32):
  %at2 = fmha.rows v %view, %i : !fmha.view<32, f16>
  // expected-error @+1 {{'fmha.load' op expected a tile of 32 columns as a row has, found 128}}
  %0 = fmha.load v %at2 : !fmha.rows<32, f16> -> !fmha.tile<32x128xf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f16>, %i: i32):
  %at3 = fmha.rows v %view, %i : !fmha.view<32, f16>
  // expected-error @+1 {{'fmha.load' op expected elements of tile to be 'f16', or to have more bits, found 'bf16'}}
  %0 = fmha.load v %at3 : !fmha.rows<32, f16> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%at4: !fmha.rows<32, bf16>, %view: !fmha.view<32, bf16>, %i: i32):
  // expected-error @+1 {{'fmha.load' op attribute 'operand' failed to satisfy constraint: a tensor of the problem whose tiles go through LDS}}
  %0 = fmha.load q %at4 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16>
}
