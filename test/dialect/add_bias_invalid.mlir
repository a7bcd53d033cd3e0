// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32xf32>, %view: !fmha.view<32, f32>, %i: i32):
  // expected-error @+1 {{'fmha.add_bias' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  %0 = fmha.add_bias %s, %view, %i : !fmha.tile<32xf32>, !fmha.view<32, f32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xbf16>, %view: !fmha.view<32, f32>, %i: i32):
  // expected-error @+1 {{'fmha.add_bias' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32x64xbf16>'}}
  %0 = fmha.add_bias %s, %view, %i : !fmha.tile<32x64xbf16>, !fmha.view<32, f32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %view: !fmha.view<32, bf16>, %i: i32):
  // expected-error @+1 {{'fmha.add_bias' op operand #1 must be a view of f32, but got '!fmha.view<32, bf16>'}}
  %0 = fmha.add_bias %s, %view, %i : !fmha.tile<32x64xf32>, !fmha.view<32, bf16>
}
