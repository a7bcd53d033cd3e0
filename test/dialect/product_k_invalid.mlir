// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32xbf16>, %k: !fmha.tile<64x16xbf16>):
  // expected-error @+1 {{'fmha.product' op operand #0 must be a tile of two dimensions, but got '!fmha.tile<32xbf16>'}}
  %0 = fmha.product k %q, %k : !fmha.tile<32xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<64xbf16>):
  // expected-error @+1 {{'fmha.product' op operand #1 must be a tile of two dimensions, but got '!fmha.tile<64xbf16>'}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<64xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<64x16xbf16>):
  // expected-error @+1 {{'fmha.product' op result #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<64x32xbf16>):
  // expected-error @+1 {{'fmha.product' op expected columns of a and columns of b to be as many, found 16 in 16 and 32 in 32}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<64x16xbf16>):
  // expected-error @+1 {{'fmha.product' op expected the result to be 32x64 elements, found 64x32}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<64x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<64x16xf16>):
  // expected-error @+1 {{'fmha.product' op expected elements of b to be 'bf16', found 'f16'}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<64x16xf16> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<64x16xbf16>):
  // expected-error @+1 {{'fmha.product' op result #0 must be a tile of two dimensions of f32, but got '!fmha.tile<32x64xbf16>'}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Q (operand B) and K (operand A) of 32x32x16: lane half h holds columns 8h + e.
#op = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#four = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16, #op>, %k: !fmha.tile<32x16xbf16, #four>):
  // expected-error @+1 {{'fmha.product' op expected fragments of the same size, found 4 in b and 8 in a}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16, #op>, !fmha.tile<32x16xbf16, #four> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Q (operand B) and K (operand A) of 32x32x16: lane half h holds columns 8h + e.
#op = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
// The halves hold columns 4h here, the registers make up for it.
#other = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16, #op>, %k: !fmha.tile<32x16xbf16, #other>):
  // expected-error @+1 {{'fmha.product' op expected both operands to hold the same contracted index in lane bit 5, found 4 in b and 8 in a}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16, #op>, !fmha.tile<32x16xbf16, #other> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Q (operand B) and K (operand A) of 32x32x16: lane half h holds columns 8h + e.
#op = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#other = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 4], [0, 2]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16, #op>, %k: !fmha.tile<32x16xbf16, #other>):
  // expected-error @+1 {{'fmha.product' op expected both operands to hold the same contracted index in register bit 1, found 4 in b and 2 in a}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16, #op>, !fmha.tile<32x16xbf16, #other> -> !fmha.tile<32x32xf32>
}

// -----

// The same padded width, but data in 16 and in 24 of the 32 columns.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x32xbf16, cols = 16>, %k: !fmha.tile<64x32xbf16, cols = 24>):
  // expected-error @+1 {{'fmha.product' op expected columns of a and columns of b to be as many, found 16 in 32 and 24 in 32}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x32xbf16, cols = 16>, !fmha.tile<64x32xbf16, cols = 24> -> !fmha.tile<32x64xf32>
}

// -----

// No matrix instruction multiplies 8 bits with 16.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16>, %k: !fmha.tile<32x16xf8E4M3FN>):
  // expected-error @+1 {{'fmha.product' op expected elements of b to be 'bf16', found 'f8E4M3FN'}}
  %0 = fmha.product k %q, %k : !fmha.tile<32x16xbf16>, !fmha.tile<32x16xf8E4M3FN> -> !fmha.tile<32x32xf32>
}
