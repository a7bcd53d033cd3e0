// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32x64xf32>, %m: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.rebase' op operand #2 must be a tile of one dimension of f32, but got '!fmha.tile<32x64xf32>'}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32xf32>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rebase' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<64x64xf32>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rebase' op expected operand #2 to be 64 elements, found 32}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<64x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %base: !fmha.tile<32xf32>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rebase' op operand #1 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xf32>, !fmha.tile<32xf32>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %base: !fmha.tile<64x32xf32>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rebase' op expected operand #2 to be 64 elements, found 32}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xf32>, !fmha.tile<64x32xf32>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xbf16>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rebase' op operand #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32x64xbf16>'}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xbf16>, !fmha.tile<32x32xf32>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %base: !fmha.tile<32x32xbf16>, %limit: !fmha.tile<32xf32>, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rebase' op operand #1 must be a tile of two dimensions of f32, but got '!fmha.tile<32x32xbf16>'}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xf32>, !fmha.tile<32x32xbf16>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %base: !fmha.tile<32x32xf32>, %limit: !fmha.tile<32xbf16>, %m: !fmha.tile<32xbf16>):
  // expected-error @+1 {{'fmha.rebase' op operand #2 must be a tile of one dimension of f32, but got '!fmha.tile<32xbf16>'}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !fmha.tile<32x64xf32>, !fmha.tile<32x32xf32>, !fmha.tile<32xbf16>
}
