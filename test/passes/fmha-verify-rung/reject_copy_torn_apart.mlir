// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -fmha-verify-rung=rung=layouts -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// A line of 1024 bytes over 64 lanes: 16 bytes, 8 elements a lane. Two register
// bits are 4 elements.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at0 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op writes element (0, 8) to byte 8, where the layout has it at 16}}
  %0 = fmha.copy k %at0 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Element bit 1 should be the second neighbour, 4 bytes on; row 1 lies 64 on.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [1, 0], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [0, 2], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at1 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op moves element (1, 0) as number 2 after (0, 0), where memory has another}}
  %0 = fmha.copy k %at1 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Lane bit 0 is the next 16 bytes, that is column 8; column 16 lies 32 bytes on.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 16], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at2 = fmha.rows v %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op writes element (0, 16) to byte 16, where the layout has it at 32}}
  %0 = fmha.copy v %at2 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 lanes that move an element of 2 bytes each are 128 bytes, the shortest line.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 128, bytes = 2048, conflict_ways = 4>
#dma = #fmha.lane_layout<fragment = 1, reg = [[16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], wave = []>
#lanes = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at3 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op never copies element (2, 0), which is read}}
  %0 = fmha.copy k %at3 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
  %r = fmha.read k %b after %0 : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16, #lanes>
}

// -----

// Lines of 512 bytes: 64 lanes move 8 bytes each, 4 elements. Fragments of 8 would
// count two instructions as one, and half of the tile would never be copied.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 512, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [8, 0], [16, 0]],
  lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at4 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op moves element (8, 0) as number 4 after (0, 0), where memory has another}}
  %0 = fmha.copy k %at4 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

// An instruction of this copy writes 1024 bytes.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 512, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %at5 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op expected instructions of line_bytes = 512, found 1024}}
  %0 = fmha.copy k %at5 into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}

// -----

// In pages of pieces of V neighbours are keys of a column, not columns of a key.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, lengths_kv = true, pages = table, page_size = 32, vectorised = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %page: i32, %b: !fmha.lds<32x32xbf16, 0, #lds>):
  %rows = fmha.rows v %view, %i at %page : i32 : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.copy' op moves element (0, 1) as number 1 after (0, 0), where memory has another}}
  %0 = fmha.copy v %rows into %b dma(#dma) : !fmha.rows<32, bf16>, !fmha.lds<32x32xbf16, 0, #lds>
}
