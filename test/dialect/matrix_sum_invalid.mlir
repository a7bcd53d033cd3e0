// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xf32>, %l: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.matrix_sum' op operand #0 must be a tile of two dimensions of bf16, f16, fp8 or bf8, but got '!fmha.tile<32x64xf32>'}}
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xf32>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<64xbf16>, %l: !fmha.tile<64xf32>):
  // expected-error @+1 {{'fmha.matrix_sum' op operand #0 must be a tile of two dimensions of bf16, f16, fp8 or bf8, but got '!fmha.tile<64xbf16>'}}
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<64xbf16>, !fmha.tile<64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %l: !fmha.tile<64xf32>):
  // expected-error @+1 {{'fmha.matrix_sum' op expected l to be 32 elements, found 64}}
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xbf16>, !fmha.tile<64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %l: !fmha.tile<32xbf16>):
  // expected-error @+1 {{'fmha.matrix_sum' op operand #1 must be a tile of one dimension of f32, but got '!fmha.tile<32xbf16>'}}
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xbf16>, !fmha.tile<32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %l: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.matrix_sum' op expected a schedule with sums, the matrix instruction that it is, found none}}
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.move_rows' op expected the result to be 32 elements, found 64}}
  %0 = fmha.move_rows %l : !fmha.tile<32xf32> -> !fmha.tile<64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.move_rows' op expected elements of the result to be 'f32', found 'i32'}}
  %0 = fmha.move_rows %l : !fmha.tile<32xf32> -> !fmha.tile<32xi32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.move_rows' op operand #0 must be a tile of one dimension, but got '!fmha.tile<32x64xf32>'}}
  %0 = fmha.move_rows %l : !fmha.tile<32x64xf32> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%any: i1, %o: !fmha.tile<32x64xf32>, %l: !fmha.tile<64xf32>, %c: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.rescale_if' op expected l to be 32 elements, found 64}}
  %0, %1 = fmha.rescale_if %any, %o, %l, %c : !fmha.tile<32x64xf32>, !fmha.tile<64xf32>, !fmha.tile<32xf32>
}

// -----

// Outside a kernel there is no schedule.
%0 = fmha.init 0.0 : !fmha.tile<32x64xf32>
%p = fmha.convert %0 : !fmha.tile<32x64xf32> -> !fmha.tile<32x64xbf16>
%l = fmha.init 0.0 : !fmha.tile<32xf32>
// expected-error @+1 {{'fmha.matrix_sum' op expected a schedule with sums, the matrix instruction that it is, found none}}
%1 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xbf16>, !fmha.tile<32xf32>

// -----

// expected-error @+1 {{expected sums to be a matrix instruction or the dot product of two (m = 1, n = 1, k = 2), found k = 4}}
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 1, n = 1, k = 4>, pipeline = <stages = [<@all compute [qk]>]>>
module attributes {test.s = #schedule} {}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.move_rows' op expected parts that the registers of a lane are a multiple of, found 0}}
  %0 = fmha.move_rows %l parts 0 : !fmha.tile<32xf32> -> !fmha.tile<32xf32>
}
