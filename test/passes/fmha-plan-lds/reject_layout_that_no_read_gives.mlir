// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics

// Each read instruction produces some lane layouts only.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @no_layout problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at0 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{'fmha.load' op expected tiles with lane layouts, found none; run fmha-assign-lane-layouts}}
  %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @b128_rows problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %t: i32):
  %at1 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
  // expected-error-re @+1 {{'fmha.load' op expected a lane layout that ds_read_b128 (read = row) can fill, with 8 neighbouring columns in register bits 0..2, found #fmha.lane_layout<fragment = 8, reg = {{\[\[}}1, 0], {{.*}}>}}
  %k = fmha.load k %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @tr_b16_lanes problem(#problem) schedule(#schedule) {
^bb0(%vv: !fmha.view<128, bf16>, %t: i32):
  %at2 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
  // expected-error-re @+1 {{'fmha.load' op expected a lane layout that ds_read_b64_tr_b16 (read = column) can fill, with 16 neighbouring columns in lane bits 0..3, found #fmha.lane_layout<{{.*}}>}}
  %v = fmha.load v %at2 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Lanes as reads by column want them, but the low registers are columns.
#v = #fmha.lane_layout<fragment = 8, reg = [[0, 32], [0, 64], [1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @tr_b16_registers problem(#problem) schedule(#schedule) {
^bb0(%vv: !fmha.view<128, bf16>, %t: i32):
  %at3 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
  // expected-error-re @+1 {{'fmha.load' op expected a lane layout that ds_read_b64_tr_b16 (read = column) can fill, with 4 rows in register bits 0..1, found #fmha.lane_layout<{{.*}}>}}
  %v = fmha.load v %at3 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
}

// -----

// 32x32x16 on 8 bits gives a lane eight neighbours of a row, ds_read_b128 sixteen.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f8E4M3FN>, %t: i32):
  %at4 = fmha.rows k %view, %t : !fmha.view<32, f8E4M3FN>
  // expected-error-re @+1 {{'fmha.load' op expected a lane layout that ds_read_b128 (read = row) can fill, with 16 neighbouring columns in register bits 0..3, found #fmha.lane_layout<{{.*}}>}}
  %k = fmha.load k %at4 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<64x32xf8E4M3FN, #k>
}

// -----

// Four rows are enough for 16 bits; of 8 bits a lane gets eight.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#v = #fmha.lane_layout<fragment = 4, reg = [[1, 0], [2, 0], [0, 32], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<64, f8E4M3FN>, %t: i32):
  %at5 = fmha.rows v %view, %t : !fmha.view<64, f8E4M3FN>
  // expected-error-re @+1 {{'fmha.load' op expected a lane layout that ds_read_b64_tr_b8 (read = column) can fill, with 8 rows in register bits 0..2, found #fmha.lane_layout<{{.*}}>}}
  %v = fmha.load v %at5 : !fmha.rows<64, f8E4M3FN> -> !fmha.tile<64x64xf8E4M3FN, #v>
}

// -----

// No instruction transposes words.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, f32>, %t: i32):
  %at6 = fmha.rows v %view, %t : !fmha.view<32, f32>
  // expected-error @+1 {{'fmha.load' op expected elements that gfx950 can read by column, found 'f32'}}
  %v = fmha.load v %at6 : !fmha.rows<32, f32> -> !fmha.tile<64x32xf32, #v>
}

// -----

// Keys of vectorised pages lie on end in LDS: no instruction gives a lane a row of them.
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = row, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64, vectorised = true>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [4, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %page: i32, %t: i32):
  %at = fmha.rows v %view, %t at %page : i32 : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.load' op expected read = column of keys that lie on end, found read = row}}
  %v = fmha.load v %at : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16, #v>
}
