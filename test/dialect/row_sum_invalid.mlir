// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.row_sum' op result #0 must be a tile of one dimension of f32, but got '!fmha.tile<32x64xf32>'}}
  %0 = fmha.row_sum %x : !fmha.tile<32x64xf32> -> !fmha.tile<32x64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.row_sum' op operand #0 must be a tile of two dimensions, but got '!fmha.tile<32xf32>'}}
  %0 = fmha.row_sum %x : !fmha.tile<32xf32> -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.row_sum' op expected sum to be 32 elements, found 64}}
  %0 = fmha.row_sum %x : !fmha.tile<32x64xf32> -> !fmha.tile<64xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xbf16>):
  // expected-error @+1 {{'fmha.row_sum' op expected a schedule whose sums are dot products (m = 1, n = 1, k = 2), as elements of x are 'bf16', found none}}
  %0 = fmha.row_sum %x : !fmha.tile<32x64xbf16> -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.row_sum' op result #0 must be a tile of one dimension of f32, but got '!fmha.tile<32xbf16>'}}
  %0 = fmha.row_sum %x : !fmha.tile<32x64xf32> -> !fmha.tile<32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %l: !fmha.tile<64xf32>):
  // expected-error @+1 {{'fmha.row_sum' op failed to verify that l is of the type of sum}}
  %0 = fmha.row_sum %x to %l : !fmha.tile<64xf32> : !fmha.tile<32x64xf32> -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %sum: !fmha.tile<64xf32>):
  // expected-error @+1 {{'fmha.row_sum' op failed to verify that partial is of the type of sum}}
  %0 = fmha.row_sum %x part <1 to 2 of 2> onto %sum : !fmha.tile<64xf32> : !fmha.tile<32x64xf32> -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32>, %sum: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.row_sum' op failed to verify that partial comes with a part}}
  %0 = "fmha.row_sum"(%x, %sum) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!fmha.tile<32x64xf32>, !fmha.tile<32xf32>) -> !fmha.tile<32xf32>
}

// -----

// No dot product sums 8 bits.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, sums = <m = 1, n = 1, k = 2>, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xf8E4M3FN>):
  // expected-error @+1 {{'fmha.row_sum' op expected elements of x to be f32 or bf16, found 'f8E4M3FN'}}
  %0 = fmha.row_sum %p : !fmha.tile<32x64xf8E4M3FN> -> !fmha.tile<32xf32>
}
