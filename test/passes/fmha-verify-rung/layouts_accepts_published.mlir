// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

// Two layouts of public kernels, free of conflicts by their authors' measurements or claims. That
// of FlyDSL's dual-wave kernel, 64 keys, D = 128:
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
// Key n of 64, of a line of 8 slots of 128 bytes: line n mod 8, slot n / 8; columns from 64
// on 8 lines further. Lines of K are padded by 16 bytes, of V by 64.
#klds = #fmha.lds_layout<row = [1024, 2048, 4096, 128, 256, 512], col = [2, 4, 8, 16, 32, 64, 8192],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [1024, 2048, 4096, 128, 256, 512], col = [2, 4, 8, 16, 32, 64, 8192],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 64, bytes = 17408, conflict_ways = 1>
// Lane l of wave w copies key 8 (l / 8) + w from column 8 (l mod 8) on; columns from 64 on next.
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 64]],
  lane = [[0, 8], [0, 16], [0, 32], [8, 0], [16, 0], [32, 0]], wave = [[1, 0], [2, 0], [4, 0]]>
!kbuf = !fmha.lds<64x128xbf16, 0, #klds>
!vbuf = !fmha.lds<64x128xbf16, 16640, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, bf16>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %vb = fmha.lds_buffer v : !vbuf
  %at0 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  %tk = fmha.copy k %at0 into %kb dma(#kdma) : !fmha.rows<128, bf16>, !kbuf
  %at1 = fmha.rows v %view, %t : !fmha.view<128, bf16>
  %tv = fmha.copy v %at1 into %vb dma(#kdma) : !fmha.rows<128, bf16>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}

// -----

// That of HipKittens' attention, st_32x32 for K and st_8x32 for V:
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
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16]], wave = [[16, 8], [0, 32], [0, 64]]>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [0, 32]], wave = [[0, 64], [8, 0], [16, 0]]>
!kbuf = !fmha.lds<64x128xbf16, 0, #klds>
!vbuf = !fmha.lds<64x128xbf16, 16384, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, bf16>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %vb = fmha.lds_buffer v : !vbuf
  %at2 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  %tk = fmha.copy k %at2 into %kb dma(#kdma) : !fmha.rows<128, bf16>, !kbuf
  %at3 = fmha.rows v %view, %t : !fmha.view<128, bf16>
  %tv = fmha.copy v %at3 into %vb dma(#vdma) : !fmha.rows<128, bf16>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}

// -----

// Nobody's: the pieces of the one before without what is exclusive-ored. Conflicts are no error if
// they are said.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
// Rows of 64 bytes as they are: keys 1 and 2 are 16 and 32 banks on, keys 4 and 8 in the same
// banks again. Each phase has every key mod 16 once: four share a bank.
#klds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 8192], col = [2, 4, 8, 16, 32, 2048, 4096],
  line_bytes = 1024, bytes = 16384, conflict_ways = 4>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 512, 1024],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0], [0, 32], [0, 64]]>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
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
  %tv = fmha.copy v %at5 into %vb dma(#vdma) : !fmha.rows<128, bf16>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}

// -----

// 8 bits: K of FlyDSL's fp8 kernel; V of Modular's MLA kernel (v227), with the copies as that kernel
// issues them: chunk c = 2 w + i of 1024 + 16 bytes is that of wave w and its copy i, where c has
// keys 4, 2, 8, 64 in this order; lane l copies columns 16 (l % 8) and has keys 1, 16, 32 by l / 8.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 64], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
// Eight keys of 128 bytes a line: key n of line n mod 8 (FlyDSL's fp8 kernel).
#klds = #fmha.lds_layout<row = [1024, 2048, 4096, 128, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
#kdma = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [64, 0]],
  lane = [[0, 16], [0, 32], [0, 64], [8, 0], [16, 0], [32, 0]], wave = [[1, 0], [2, 0], [4, 0]]>
#vlds = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
#vdma = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]],
  lane = [[0, 16], [0, 32], [0, 64], [1, 0], [16, 0], [32, 0]], wave = [[2, 0], [8, 0], [64, 0]]>
!kbuf = !fmha.lds<128x128xf8E4M3FN, 0, #klds>
!vbuf = !fmha.lds<128x128xf8E4M3FN, 16640, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, f8E4M3FN>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %vb = fmha.lds_buffer v : !vbuf
  %at6 = fmha.rows k %view, %t : !fmha.view<128, f8E4M3FN>
  %tk = fmha.copy k %at6 into %kb dma(#kdma) : !fmha.rows<128, f8E4M3FN>, !kbuf
  %at7 = fmha.rows v %view, %t : !fmha.view<128, f8E4M3FN>
  %tv = fmha.copy v %at7 into %vb dma(#vdma) : !fmha.rows<128, f8E4M3FN>, !vbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<128x128xf8E4M3FN, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<128x128xf8E4M3FN, #v>
}

// -----

// V of FlyDSL's fp8 kernel, 64 keys: wave w copies 1024 bytes, blocks of 8 keys x 16 columns; lane l
// copies 16 columns l / 8 of the key at place 8 w + l % 8, where places 4 to 7 and 8 to 11 of each 16
// are exchanged: the bits of keys 4 and 8.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
#vlds = #fmha.lds_layout<row = [16, 32, 1024, 64, 2048, 4096], col = [1, 2, 4, 8, 128, 256, 512],
  line_bytes = 1024, bytes = 8192, conflict_ways = 1>
#vdma = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 4], [0, 8]],
  lane = [[1, 0], [2, 0], [8, 0], [0, 16], [0, 32], [0, 64]], wave = [[4, 0], [16, 0], [32, 0]]>
!vbuf = !fmha.lds<64x128xf8E4M3FN, 0, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, f8E4M3FN>, %t: i32):
  %vb = fmha.lds_buffer v : !vbuf
  %at8 = fmha.rows v %view, %t : !fmha.view<128, f8E4M3FN>
  %tv = fmha.copy v %at8 into %vb dma(#vdma) : !fmha.rows<128, f8E4M3FN>, !vbuf
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xf8E4M3FN, #v>
}
