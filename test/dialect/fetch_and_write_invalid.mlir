// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f8E4M3FN>, %i: i32):
  %at0 = fmha.rows k %view, %i : !fmha.view<32, f8E4M3FN>
  // expected-error @+1 {{'fmha.fetch' op expected a tile of at least the 32 columns of the rows, found 16}}
  %0 = fmha.fetch k %at0 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x16xf8E4M3FN>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f8E4M3FN>, %i: i32):
  %at1 = fmha.rows k %view, %i : !fmha.view<32, f8E4M3FN>
  // expected-error @+1 {{'fmha.fetch' op expected elements of tile to be 'f8E4M3FN', found 'bf16'}}
  %0 = fmha.fetch k %at1 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%at2: !fmha.rows<32, f8E4M3FN>, %view: !fmha.view<32, f8E4M3FN>, %i: i32):
  // expected-error @+1 {{'fmha.fetch' op attribute 'operand' failed to satisfy constraint: a tensor of the problem whose tiles go through LDS}}
  %0 = fmha.fetch q %at2 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xf8E4M3FN>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.tile<64x32xf8E4M3FN>):
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  // expected-error @+1 {{'fmha.write' op expected a tile of the buffer's shape, 32x32, found 64x32}}
  %0 = fmha.write k %t into %k : !fmha.tile<64x32xf8E4M3FN>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.tile<32x32xf16>):
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  // expected-error @+1 {{'fmha.write' op expected a tile of elements with fewer bits than those of the buffer, 'bf16', found 'f16'}}
  %0 = fmha.write k %t into %k : !fmha.tile<32x32xf16>, !fmha.lds<32x32xbf16, 0, #lds>
}
