// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics

// 128 rows, where the tile has 64.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [256, 512, 1024, 2048, 4096, 8192, 16384], col = [2, 4, 8, 16, 32, 64, 128]>>,
  v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at0 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{expected an LDS map of k that fits the tile and its copies and reads: the map has 128 rows x 128 columns, the tile 64 x 128, found}}
  %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
}

// -----

// Elements of one byte.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [32, 64], col = [1, 2, 4, 8, 16]>>,
  v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at1 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{expected an LDS map of k that fits the tile and its copies and reads: its least mask is 1, an element has 2 bytes}}
  %k = fmha.load k %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
}

// -----

// Four columns on end, where a copy takes eight.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [8, 64], col = [2, 4, 16, 32]>>,
  v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at2 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{expected an LDS map of k that fits the tile and its copies and reads: a lane moves 16 bytes of a row at once, the map has 8 of them on end}}
  %k = fmha.load k %at2 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
}

// -----

// A row exclusive-ored into a column of those that an access takes together.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [64, 128 xor 8], col = [2, 4, 8, 16, 32]>>,
  v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at3 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{expected an LDS map of k that fits the tile and its copies and reads: a lane moves 16 bytes of a row at once, mask 136 of `row` moves parts of them}}
  %k = fmha.load k %at3 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
}

// -----

// A copy of a wave is torn apart by padding.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [64, 128], col = [2, 4, 8, 16, 32], chunk_bytes = 512, pad_bytes = 16>>,
  v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at4 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{expected an LDS map of k that fits the tile and its copies and reads: a wave writes 1024 bytes on end, chunks have 512}}
  %k = fmha.load k %at4 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
}
