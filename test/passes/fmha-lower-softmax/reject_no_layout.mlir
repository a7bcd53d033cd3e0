// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax -split-input-file -verify-diagnostics

// Of what an op takes, and of what it gives.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x32xf32>
!p = !fmha.tile<32x32xbf16>
!row = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !row, %shift: !row, %factor: f32):
  // expected-error @+1 {{'fmha.row_max' op expected tiles with lane layouts, found none; run fmha-assign-lane-layouts}}
  %m1, %shift1, %c, %any = fmha.row_max %s, %m, %shift, %factor : !s, !row
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x32xf32>
!p = !fmha.tile<32x32xbf16>
!unused = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !s):
  // expected-error @+1 {{'fmha.exp' op expected tiles with lane layouts, found none; run fmha-assign-lane-layouts}}
  %0 = fmha.exp %x : !s
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x32xf32>
!p = !fmha.tile<32x32xbf16>
!row = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: f32):
  // expected-error @+1 {{'fmha.no_max' op expected tiles with lane layouts, found none; run fmha-assign-lane-layouts}}
  %0 = fmha.no_max : !s
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!p = !fmha.tile<32x32xbf16>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !s):
  // expected-error @+1 {{'fmha.convert' op expected tiles with lane layouts, found none; run fmha-assign-lane-layouts}}
  %0 = fmha.convert %x : !s -> !p
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x16, transposed: lane c + 32h holds row c, register r key
// 8*(r/4) + 4h + r%4; P the same; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!p = !fmha.tile<32x32xbf16, #p>
!row = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !s):
  // expected-error @+1 {{'fmha.row_sum' op expected tiles with lane layouts, found none; run fmha-assign-lane-layouts}}
  %0 = fmha.row_sum %x : !s -> !row
}
