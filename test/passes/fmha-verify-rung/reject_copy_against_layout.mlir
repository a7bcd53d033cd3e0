// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

// The wave that takes rows 16 on forgets that their columns are exchanged: lane 0 takes row 16,
// column 0 to byte 1024 ^ 16, where it begins its line.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
// K: pieces of 32 rows x 64 bytes; byte o of one lies at
// o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4). V: pieces of 8 rows x 64 bytes
// as they are. Pieces along the columns first, then down.
#klds = #fmha.lds_layout<row = [64, 128, 256, 512 xor 32, 1024 xor 16, 8192], col = [2, 4, 8, 16, 32, 2048, 4096],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 512, 1024],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// What lies at byte 512 of a piece of K: row 8, column 16, since row 8 alone is at 512 ^ 32.
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16]], wave = [[16, 0], [0, 32], [0, 64]]>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [0, 32]], wave = [[0, 64], [8, 0], [16, 0]]>
!kbuf = !fmha.lds<64x128xbf16, 0, #klds>
!vbuf = !fmha.lds<64x128xbf16, 16384, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, bf16>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %vb = fmha.lds_buffer v : !vbuf
  %at0 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{'fmha.copy' op writes element (16, 8) to byte 1056, where the layout has it at 1024}}
  %tk = fmha.copy k %at0 into %kb dma(#kdma) : !fmha.rows<128, bf16>, !kbuf
  %at1 = fmha.rows v %view, %t : !fmha.view<128, bf16>
  %tv = fmha.copy v %at1 into %vb dma(#vdma) : !fmha.rows<128, bf16>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}

// -----

// All waves but the first take what others have.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
// K: pieces of 32 rows x 64 bytes; byte o of one lies at
// o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4). V: pieces of 8 rows x 64 bytes
// as they are. Pieces along the columns first, then down.
#klds = #fmha.lds_layout<row = [64, 128, 256, 512 xor 32, 1024 xor 16, 8192], col = [2, 4, 8, 16, 32, 2048, 4096],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 512, 1024],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// What lies at byte 512 of a piece of K: row 8, column 16, since row 8 alone is at 512 ^ 32.
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16]], wave = [[0, 0], [0, 32], [0, 64]]>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [0, 32]], wave = [[0, 64], [8, 0], [16, 0]]>
!kbuf = !fmha.lds<64x128xbf16, 0, #klds>
!vbuf = !fmha.lds<64x128xbf16, 16384, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, bf16>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %vb = fmha.lds_buffer v : !vbuf
  %at2 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{'fmha.copy' op copies element (0, 0) twice}}
  %tk = fmha.copy k %at2 into %kb dma(#kdma) : !fmha.rows<128, bf16>, !kbuf
  %at3 = fmha.rows v %view, %t : !fmha.view<128, bf16>
  %tv = fmha.copy v %at3 into %vb dma(#vdma) : !fmha.rows<128, bf16>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}

// -----

// A lane moves 16 bytes as memory has them; columns 1 and 2 do not change places on the way.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
// K: pieces of 32 rows x 64 bytes; byte o of one lies at
// o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4). V: pieces of 8 rows x 64 bytes
// as they are. Pieces along the columns first, then down.
#klds = #fmha.lds_layout<row = [64, 128, 256, 512 xor 32, 1024 xor 16, 8192], col = [2, 4, 8, 16, 32, 2048, 4096],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 2048, 4096, 8192], col = [4, 2, 8, 16, 32, 512, 1024],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// What lies at byte 512 of a piece of K: row 8, column 16, since row 8 alone is at 512 ^ 32.
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16]], wave = [[16, 8], [0, 32], [0, 64]]>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 2], [0, 1], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [0, 32]], wave = [[0, 64], [8, 0], [16, 0]]>
!kbuf = !fmha.lds<64x128xbf16, 0, #klds>
!vbuf = !fmha.lds<64x128xbf16, 16384, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, bf16>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %vb = fmha.lds_buffer v : !vbuf
  %at4 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  %tk = fmha.copy k %at4 into %kb dma(#kdma) : !fmha.rows<128, bf16>, !kbuf
  %at5 = fmha.rows v %view, %t : !fmha.view<128, bf16>
  // expected-error @+1 {{'fmha.copy' op moves element (0, 2) as number 1 after (0, 0), where memory has another}}
  %tv = fmha.copy v %at5 into %vb dma(#vdma) : !fmha.rows<128, bf16>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}
