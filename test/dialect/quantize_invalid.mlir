// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16>, %f: f32):
  // expected-error @+1 {{'fmha.row_exponents' op expected elements of 8 bits to round to, found 'bf16'}}
  %e = fmha.row_exponents %q, %f to bf16 : !fmha.tile<32x64xbf16> -> !fmha.tile<32xi32>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16>, %f: f32):
  // expected-error @+1 {{'fmha.row_exponents' op expected exponents to be 32 elements, found 64}}
  %e = fmha.row_exponents %q, %f to f8E4M3FN : !fmha.tile<32x64xbf16> -> !fmha.tile<64xi32>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16>, %f: f32, %e: !fmha.tile<32xi32>):
  // expected-error @+1 {{'fmha.quantize' op expected a result with elements of 8 bits and the 64 columns of the tile, found}}
  %0 = fmha.quantize %q, %f by %e : !fmha.tile<32x64xbf16>, !fmha.tile<32xi32> -> !fmha.tile<32x64xf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xf8E4M3FN>, %v: !fmha.tile<64x32xf8E4M3FN>, %o: !fmha.tile<32x32xf32>, %e: !fmha.tile<32xi32>):
  // expected-error @+1 {{'fmha.product' op expected no exponents, as it sums over keys, which have no power of two of their own}}
  %0 = fmha.product v %p, %v by %e : !fmha.tile<32xi32> onto %o : !fmha.tile<32x32xf32> : !fmha.tile<32x64xf8E4M3FN>, !fmha.tile<64x32xf8E4M3FN> -> !fmha.tile<32x32xf32>
}
