// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

// Dwords can be copied to any place: columns 2 and 4 have changed theirs, and what a read by row
// takes on end has columns 0, 1, 4, 5, 2, 3, 6, 7.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 8, 4, 16, 32],
  line_bytes = 256, bytes = 2048, conflict_ways = 4>
#dma = #fmha.lane_layout<fragment = 2, reg = [[0, 1], [4, 0], [8, 0], [16, 0]],
  lane = [[0, 4], [0, 2], [0, 8], [0, 16], [1, 0], [2, 0]], wave = []>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
!kbuf = !fmha.lds<32x32xbf16, 0, #lds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %t: i32):
  %kb = fmha.lds_buffer k : !kbuf
  %at0 = fmha.rows k %view, %t : !fmha.view<32, bf16>
  %tk = fmha.copy k %at0 into %kb dma(#dma) : !fmha.rows<32, bf16>, !kbuf
  // expected-error @+1 {{'fmha.read' op needs element (0, 2) at byte 4 for a read of 16 bytes on end, where the layout has it at 8}}
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<32x32xbf16, #k>
}
