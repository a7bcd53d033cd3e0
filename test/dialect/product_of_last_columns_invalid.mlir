// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 48, head_dim_v = 32, mask = causal, rope_dim = 16>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, cols = 48>, %k: !fmha.tile<32x32xbf16>, %r: !fmha.tile<32x16xbf16>, %s: !fmha.tile<32x32xf32>):
  // K is two tiles of 32 and 16 columns of the 48 of Q.
  %0 = fmha.product k %q, %k : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x32xbf16> -> !fmha.tile<32x32xf32>
  %1 = fmha.product k_rope %q, %r skip 32 onto %0 : !fmha.tile<32x32xf32> : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x16xbf16> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 48, head_dim_v = 32, mask = causal, rope_dim = 16>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, cols = 48>, %k: !fmha.tile<32x32xbf16>, %r: !fmha.tile<32x16xbf16>, %s: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{expected acc, and skip 32 for the 16 columns of K that have tiles of their own, found skip 0 and no acc}}
  %0 = fmha.product k_rope %q, %r : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x16xbf16> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 48, head_dim_v = 32, mask = causal, rope_dim = 16>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, cols = 48>, %k: !fmha.tile<32x32xbf16>, %r: !fmha.tile<32x16xbf16>, %s: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{expected acc, and skip 32 for the 16 columns of K that have tiles of their own, found skip 16}}
  %0 = fmha.product k_rope %q, %r skip 16 onto %s : !fmha.tile<32x32xf32> : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x16xbf16> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 48, head_dim_v = 32, mask = causal, rope_dim = 16>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, cols = 48>, %k: !fmha.tile<32x32xbf16>, %r: !fmha.tile<32x16xbf16>, %s: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{expected no skip, as its columns are the first, found 16}}
  %0 = fmha.product k %q, %k skip 16 : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x32xbf16> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 48, head_dim_v = 32, mask = causal, rope_dim = 16>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, cols = 48>, %k: !fmha.tile<32x32xbf16>, %r: !fmha.tile<32x16xbf16>, %s: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{expected columns of a and columns of b to be as many, found 32 in 64 and 16 in 16}}
  %0 = fmha.product k %q, %r : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x16xbf16> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 48, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, cols = 48>, %k: !fmha.tile<32x32xbf16>, %r: !fmha.tile<32x16xbf16>, %s: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{expected acc, and skip 48 for the 0 columns of K that have tiles of their own, found skip 32}}
  %0 = fmha.product k_rope %q, %r skip 32 onto %s : !fmha.tile<32x32xf32> : !fmha.tile<32x64xbf16, cols = 48>, !fmha.tile<32x16xbf16> -> !fmha.tile<32x32xf32>
}
