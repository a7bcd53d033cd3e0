// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics

// Registers of a tile have no bit of the coordinates twice, as exclusive-or would have it.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, layout = xor>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, f8E4M3FN>, %t: i32):
  %at0 = fmha.rows k %kv, %t : !fmha.view<128, f8E4M3FN>
  // expected-error @+1 {{'fmha.load' op expected a tile that LDS layout xor can hold: its elements are converted in registers, where pieces are not exclusive-ored, found}}
  %k = fmha.load k %at0 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<64x128xbf16, #k>
  %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}

// -----

// The same by a map.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [64, 128, 256, 544, 1040, 2048], col = [2, 4, 8, 16, 32, 4096, 8192]>>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, f8E4M3FN>, %t: i32):
  %at1 = fmha.rows k %kv, %t : !fmha.view<128, f8E4M3FN>
  // expected-error @+1 {{'fmha.load' op expected an LDS map of k that fits the tile and its copies and reads: its elements are converted in registers, where pieces are not exclusive-ored, the map has masks that share bytes, found}}
  %k = fmha.load k %at1 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<64x128xbf16, #k>
  %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
