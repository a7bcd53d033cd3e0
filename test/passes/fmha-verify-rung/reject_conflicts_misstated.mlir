// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

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
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
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
  %at0 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  %tk = fmha.copy k %at0 into %kb dma(#kdma) : !fmha.rows<128, bf16>, !kbuf
  %at1 = fmha.rows v %view, %t : !fmha.view<128, bf16>
  %tv = fmha.copy v %at1 into %vb dma(#vdma) : !fmha.rows<128, bf16>, !vbuf
  // expected-error @+1 {{'fmha.read' op expected the layout to state the bank conflicts of its reads, 4 ways, found 1}}
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %v = fmha.read v %vb after %tv : !vbuf -> !fmha.tile<64x128xbf16, #v>
}
