// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<64, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at0 = fmha.rows k %view, %i : !fmha.view<64, bf16>
  // expected-error @+1 {{'fmha.copy' op expected a buffer of at least the 64 columns of the rows, found 32}}
  %0 = fmha.copy k %at0 into %b dma(#dma) : !fmha.rows<64, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at1 = fmha.rows v %view, %i : !fmha.view<32, f16>
  // expected-error @+1 {{'fmha.copy' op expected buffer elements 'f16', found 'bf16'}}
  %0 = fmha.copy v %at1 into %b dma(#dma) : !fmha.rows<32, f16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Columns only, as of a row vector.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[1], [2], [4]], lane = [[8], [16], [0], [0], [0], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at2 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op expected dma to have 2 coordinates a basis, found 1}}
  %0 = fmha.copy k %at2 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 512, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [8, 0], [16, 0]],
  lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%at3: !fmha.rows<32, bf16>, %view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  // expected-error @+1 {{'fmha.copy' op attribute 'operand' failed to satisfy constraint: a tensor of the problem whose tiles go through LDS}}
  %0 = fmha.copy q %at3 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}
