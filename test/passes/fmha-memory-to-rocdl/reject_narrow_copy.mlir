// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl -verify-diagnostics

// Lines of 512 bytes: 64 lanes move 8 bytes each, which no direct-to-LDS load does;
// dwordx4 moves 16, dword 4.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 512, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [8, 0], [16, 0]],
  lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %i = fmha.arg seqlen_q : i32
  %b = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  %view = fmha.view k : !fmha.view<32, bf16>
  %at0 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op expected a lane to move 16 or 4 bytes, found 8}}
  %0 = fmha.copy k %at0 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}
