// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax -split-input-file -verify-diagnostics

// Lane bit 3 is exchanged by no permlane swap.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
#far = #fmha.lane_layout<fragment = 2, reg = [[8]], lane = [[1], [2], [4], [0], [16], [0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%c: !fmha.tile<32xf32, #rows>):
  // expected-error @+1 {{'fmha.move_rows' op expected rows that a lane exchange can move}}
  %0 = fmha.move_rows %c : !fmha.tile<32xf32, #rows> -> !fmha.tile<32xf32, #far>
}

// -----

// Rows of another wave.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
#other = #fmha.lane_layout<fragment = 2, reg = [[32]], lane = [[1], [2], [4], [8], [16], [0]], wave = [[0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%c: !fmha.tile<64xf32, #rows>):
  // expected-error @+1 {{'fmha.move_rows' op expected rows that a lane exchange can move}}
  %0 = fmha.move_rows %c : !fmha.tile<64xf32, #rows> -> !fmha.tile<64xf32, #other>
}
