// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax -split-input-file -verify-diagnostics

// S not transposed: a row of 32 columns over 32 lanes. Only lanes that differ in bits 4 and
// 5 can be exchanged.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
#rows = #fmha.lane_layout<fragment = 16, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !row, %shift: !row, %factor: f32):
  // expected-error @+1 {{'fmha.row_max' op expected a row to be spread over lane bits 4 and 5 only, found bit 0}}
  %m1, %shift1, %c, %any = fmha.row_max %s, %m, %shift, %factor : !s, !row
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
#rows = #fmha.lane_layout<fragment = 16, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %base: !s, %limit: !row, %m: !row):
  // expected-error @+1 {{'fmha.rebase' op expected a row to be spread over lane bits 4 and 5 only, found bit 0}}
  %s1, %base1, %limit1, %m1, %c, %any = fmha.rebase %s, %base, %limit, %m : !s, !s, !row
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
#rows = #fmha.lane_layout<fragment = 16, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%l: !row):
  // expected-error @+1 {{'fmha.combine_rows' op expected a row to be spread over lane bits 4 and 5 only, found bit 0}}
  %0 = fmha.combine_rows %l : !row
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
#rows = #fmha.lane_layout<fragment = 16, reg = [[1], [2], [8], [16]], lane = [[0], [0], [0], [0], [0], [4]], wave = []>
!s = !fmha.tile<32x32xf32, #s>
!row = !fmha.tile<32xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%any: i1, %s: !s, %l: !row, %c: !row):
  // expected-error @+1 {{'fmha.rescale_if' op expected a fragment to lie in one row}}
  %o1, %l1 = fmha.rescale_if %any, %s, %l, %c : !s, !row, !row
}
