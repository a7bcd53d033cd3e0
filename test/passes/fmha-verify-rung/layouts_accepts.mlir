// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

// K and V side by side, each copied whole.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %t: i32):
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  %v = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 2048, #lds>
  %at0 = fmha.rows k %view, %t : !fmha.view<32, bf16>
  %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
  %at1 = fmha.rows v %view, %t : !fmha.view<32, bf16>
  %1 = fmha.copy v %at1 into %v dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 2048, #lds>
}

// -----

// The last buffer ends where LDS does: 163840 - 2048 = 161792.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 161792, #lds>
}

// -----

// 16 of 32 columns are what the steps of qk.k = 16 take: the copy goes without the rest.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 16, head_dim_v = 16, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// 64 keys in lines of 32 keys and 16 columns: 4 lines, of which 2 hold columns 0..15.
#lds = #fmha.lds_layout<row = [32, 64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 2048],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0], [0, 16]],
  lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
!kbuf = !fmha.lds<64x32xbf16, 0, #lds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<16, bf16>, %t: i32):
  %k = fmha.lds_buffer k : !kbuf
  %at2 = fmha.rows k %view, %t : !fmha.view<16, bf16>
  %0 = fmha.copy k %at2 into %k dma(#dma) : !fmha.rows<16, bf16>, !kbuf
}
