// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32xf32>, %view: !fmha.view<64, bf16>):
  // expected-error @+1 {{'fmha.store_o' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  fmha.store_o %o, %view : !fmha.tile<32xf32>, !fmha.view<64, bf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xbf16>, %view: !fmha.view<64, bf16>):
  // expected-error @+1 {{'fmha.store_o' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32x64xbf16>'}}
  fmha.store_o %o, %view : !fmha.tile<32x64xbf16>, !fmha.view<64, bf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xf32>, %view: !fmha.view<32, bf16>):
  // expected-error @+1 {{'fmha.store_o' op expected a tile of 32 columns as the view has, found 64}}
  fmha.store_o %o, %view : !fmha.tile<32x64xf32>, !fmha.view<32, bf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<32x64xf32>, %view: !fmha.view<64, f8E5M2>):
  // expected-error @+1 {{'fmha.store_o' op expected a view of bf16, f16, f32 or f8E4M3FN, found one of 'f8E5M2'}}
  fmha.store_o %o, %view : !fmha.tile<32x64xf32>, !fmha.view<64, f8E5M2>
}
