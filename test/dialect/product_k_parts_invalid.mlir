// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x32xbf16>, %k: !fmha.tile<64x32xbf16>, %s: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{'fmha.product' op failed to verify that acc is of the type of result}}
  %0 = fmha.product k %q, %k part <1 to 2 of 2> onto %s : !fmha.tile<32x32xf32> : !fmha.tile<32x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x32xbf16>, %k: !fmha.tile<64x32xbf16>, %s: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.product' op expected a part with acc, as it starts anew with each tile, found none}}
  %0 = fmha.product k %q, %k onto %s : !fmha.tile<32x64xf32> : !fmha.tile<32x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x32xbf16>, %k: !fmha.tile<64x32xbf16>, %base: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.product' op operand #2 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  %0 = fmha.product k %q, %k from %base : !fmha.tile<32xf32> : !fmha.tile<32x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x32xbf16>, %k: !fmha.tile<64x32xbf16>, %base: !fmha.tile<32x32xbf16>):
  // expected-error @+1 {{'fmha.product' op operand #2 must be a tile of two dimensions of f32, but got '!fmha.tile<32x32xbf16>'}}
  %0 = fmha.product k %q, %k from %base : !fmha.tile<32x32xbf16> : !fmha.tile<32x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x32xbf16>, %k: !fmha.tile<64x32xbf16>, %base: !fmha.tile<64x32xf32>):
  // expected-error @+1 {{'fmha.product' op expected start to have the 32 rows of the result, found 64}}
  %0 = fmha.product k %q, %k from %base : !fmha.tile<64x32xf32> : !fmha.tile<32x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<32x64xf32>
}
