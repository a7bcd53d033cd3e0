// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// The wait covers this wave's share only.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// K: 32 keys of 64 bytes, 2 lines of 1024, so 2 loads of the one wave.
// V: 64 keys of 64 bytes, 4 lines, 4 loads.
#klds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!kbuf = !fmha.lds<32x32xbf16, 0, #klds>
!vbuf = !fmha.lds<64x32xbf16, 2048, #vlds>
!view = !fmha.view<32, bf16>
!ktile = !fmha.tile<32x32xbf16>
!vtile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %view, %t : !view
    // expected-note @+1 {{'fmha.copy' before it}}
    %tk = fmha.copy k %at0 into %k dma(#kdma) : !fmha.rows<32, bf16>, !kbuf
    amdgpu.memory_counter_wait load(0)
    // expected-error @+1 {{read_k reads what may not be there yet of load_k: expected a barrier after the wait of the first wave group for load_k and before read_k of the first group, found the wait after 0 barriers and read_k after 0}}
    %kt = fmha.read k %k after %tk : !kbuf -> !ktile
    fmha.yield
  }
}

// -----

// A barrier before the wait says nothing.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// K: 32 keys of 64 bytes, 2 lines of 1024, so 2 loads of the one wave.
// V: 64 keys of 64 bytes, 4 lines, 4 loads.
#klds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!kbuf = !fmha.lds<32x32xbf16, 0, #klds>
!vbuf = !fmha.lds<64x32xbf16, 2048, #vlds>
!view = !fmha.view<32, bf16>
!ktile = !fmha.tile<32x32xbf16>
!vtile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  fmha.kv_loop %t = %lo to %hi {
    %at1 = fmha.rows k %view, %t : !view
    // expected-note @+1 {{'fmha.copy' before it}}
    %tk = fmha.copy k %at1 into %k dma(#kdma) : !fmha.rows<32, bf16>, !kbuf
    rocdl.s.barrier
    amdgpu.memory_counter_wait load(0)
    // expected-error @+1 {{read_k reads what may not be there yet of load_k: expected a barrier after the wait of the first wave group for load_k and before read_k of the first group, found the wait after 1 barriers and read_k after 1}}
    %kt = fmha.read k %k after %tk : !kbuf -> !ktile
    fmha.yield
  }
}
