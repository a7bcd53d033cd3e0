// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a fmha.kernel, found none; run fmha-tile-attention}}
module {
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.init' op expected a lane layout on every tile, found none}}
  %0 = fmha.init 0.0 : !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %t: i32):
  %at0 = fmha.rows k %view, %t : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.load' op expected loads of K and V to go through LDS, found one that does not}}
  %0 = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16, #k>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
// V begins 16 bytes before K ends, at 2032: its row 0, column 0 is K's row 31,
// column 24 (31 * 64 + 24 * 2 = 2032).
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  // expected-error @+1 {{'fmha.lds_buffer' op element (0, 0) overlaps byte 2032 of LDS, which another element has}}
  %v = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 2032, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
// 16 bytes too far: element (31, 24) lies at 161808 + 2032 = 163840.
fmha.kernel @k problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.lds_buffer' op expected bytes below 163840 of LDS, found 163840}}
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 161808, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// The last element lies at 1984 + 62 = 2046 and takes 2 bytes; the layout says
// that it has 2047.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2047, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.lds_buffer' op element (31, 31) lies at byte 2046 of a layout of 2047}}
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 4>
// The second load, of rows 16 on, is missing.
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#lanes = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %t: i32):
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  %at1 = fmha.rows k %view, %t : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op never copies element (16, 0), which is read}}
  %0 = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
  %r = fmha.read k %k after %0 : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16, #lanes>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
// The second wave is given rows 32 on, which the tile has not.
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %t: i32):
  %v = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 0, #lds>
  %at2 = fmha.rows v %view, %t : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op expected dma to stay within the buffer's 32x32 elements, found basis coordinate 32}}
  %0 = fmha.copy v %at2 into %v dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

// The layout of V of Modular's MLA kernel in slots of 16384 bytes: its last key lies beyond them.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#vlds = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
#vdma = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]],
  lane = [[0, 16], [0, 32], [0, 64], [1, 0], [16, 0], [32, 0]], wave = [[2, 0], [8, 0], [64, 0]]>
!slot0 = !fmha.lds<128x128xf8E4M3FN, 0, #vlds>
!slot1 = !fmha.lds<128x128xf8E4M3FN, 16384, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %v0 = fmha.lds_buffer v : !slot0
  // expected-error @+1 {{'fmha.lds_buffer' op element (0, 0) overlaps byte 16384 of LDS, which another element has}}
  %v1 = fmha.lds_buffer v : !slot1
}
