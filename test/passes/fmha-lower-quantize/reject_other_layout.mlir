// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-quantize -split-input-file -verify-diagnostics

// Elements stay where they are.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
!q = !fmha.tile<32x64xbf16, #q>
!q8 = !fmha.tile<32x64xf8E4M3FN, #q>
!rows = !fmha.tile<32xi32, #rows>
#other = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 32]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %factor: f32, %e: !rows):
  // expected-error @+1 {{'fmha.quantize' op expected a result that lies as the tile does}}
  %0 = fmha.quantize %q, %factor by %e : !q, !rows -> !fmha.tile<32x64xf8E4M3FN, #other>
}

// -----

// Two lanes whose number differs in bit 0 exchange nothing.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[0, 16], [2, 0], [4, 0], [8, 0], [16, 0], [1, 0]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[0], [2], [4], [8], [16], [1]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xbf16, #q>, %factor: f32):
  // expected-error @+1 {{'fmha.row_exponents' op expected a row to be spread over lane bits 4 and 5 only, found bit 0}}
  %e = fmha.row_exponents %q, %factor to f8E4M3FN : !fmha.tile<32x64xbf16, #q> -> !fmha.tile<32xi32, #rows>
}
