// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xbf16>):
  // expected-error @+1 {{'fmha.convert' op operand #0 must be a tile of f32, but got '!fmha.tile<32x64xbf16>'}}
  %0 = fmha.convert %x : !fmha.tile<32x64xbf16> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.convert' op expected p to be 32x64 elements, found 32x32}}
  %0 = fmha.convert %x : !fmha.tile<32x64xf32> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %p: !fmha.tile<32x64xf16>):
  // expected-error @+1 {{'fmha.convert' op failed to verify that partial is of the type of p}}
  %0 = fmha.convert %x part <1 to 2 of 2> onto %p : !fmha.tile<32x64xf16> : !fmha.tile<32x64xf32> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %p: !fmha.tile<32x64xbf16>):
  // expected-error @+1 {{'fmha.convert' op failed to verify that partial comes with a part}}
  %0 = "fmha.convert"(%x, %p) : (!fmha.tile<32x64xf32>, !fmha.tile<32x64xbf16>) -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.convert' op result #0 must be a tile of bf16, f16, fp8 or bf8, but got '!fmha.tile<32x64xf32>'}}
  %0 = fmha.convert %x : !fmha.tile<32x64xf32> -> !fmha.tile<32x64xf32>
}
