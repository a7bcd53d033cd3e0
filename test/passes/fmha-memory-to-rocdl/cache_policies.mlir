// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl -split-input-file -verify-diagnostics | FileCheck %s

// Loads and copies have the bits of their operand: sc0 1, nt 2, sc1 16, of which the last operand
// of buffer loads is the sum (LLVM AMDGPUUsage, llvm.amdgcn.raw.ptr.buffer.load). None of the loads
// of LLVM reads memory here.
// CHECK-LABEL: fmha.kernel @loads
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %c1_i32{{(_[0-9]+)?}} : vector<4xi32>
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.load.lds %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c2_i32{{(_[0-9]+)?}} {
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.load.lds %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c18_i32{{(_[0-9]+)?}} {
// CHECK-COUNT-16: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %c17_i32{{(_[0-9]+)?}} : f32
// CHECK-NOT: rocdl.raw.ptr.buffer.load
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, bias = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <q = sc0, k = nt, v = nt sc1, bias = sc0 sc1, o = nt>,
  pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!k = !fmha.lds<64x32xbf16, 0, #lds>
!v = !fmha.lds<64x32xbf16, 4096, #lds>
!view = !fmha.view<32, bf16>
!s = !fmha.tile<64x32xf32, #s>
fmha.kernel @loads problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %qv = fmha.view q : !view
  %q = fmha.load_q %qv : !view -> !fmha.tile<64x32xbf16, #q>
  %ql:2 = fmha.to_lanes %q : !fmha.tile<64x32xbf16, #q> -> vector<8xbf16>, vector<8xbf16>
  %k = fmha.lds_buffer k : !k
  %v = fmha.lds_buffer v : !v
  %kv = fmha.view k : !view
  %kr = fmha.rows k %kv, %t : !view
  %0 = fmha.copy k %kr into %k dma(#dma) : !fmha.rows<32, bf16>, !k
  %vv = fmha.view v : !view
  %vr = fmha.rows v %vv, %t : !view
  %1 = fmha.copy v %vr into %v dma(#dma) : !fmha.rows<32, bf16>, !v
  %bv = fmha.view bias : !fmha.view<32, f32>
  %x = fmha.add_bias %s, %bv, %t : !s, !fmha.view<32, f32>
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}

// -----

// Lanes that look numbers of pages up, and copy from addresses of their own: all bits, too.
// CHECK-LABEL: fmha.kernel @pages
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %c16_i32{{(_[0-9]+)?}} : i32
// CHECK-COUNT-4: rocdl.global.load.lds %{{.*}}, %{{.*}}, 16, 0, 19
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 8>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <k = sc0 nt sc1, pages = sc1>, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#keys = #fmha.lane_layout<fragment = 1, reg = [[16], [32]], lane = [[0], [0], [1], [2], [4], [8]], wave = []>
!pages = !fmha.tile<64xi32, #keys>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
fmha.kernel @pages problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !pages
  %rows = fmha.rows k %view, %t at %page : !pages : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
}

// -----

// Loads to registers from addresses of lanes have nt alone, and a remark says so; a scalar load of
// the number of the page that holds a tile has none.
// CHECK-LABEL: fmha.kernel @fetched_by_lane
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64, nontemporal} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-NOT: volatile
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, lengths_kv = true, pages = table, page_size = 1>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <k = nt sc1, v = nt>, pipeline = <stages = [<@all compute [qk]>]>>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
#keys = #fmha.lane_layout<fragment = 1, reg = [[32]],
  lane = [[0], [0], [0], [0], [1], [2]], wave = [[4], [8], [16]]>
!pages = !fmha.tile<64xi32, #keys>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
// expected-remark @+2 {{declined: sc0 and sc1 in cache of k are not followed where each lane loads from an address of its own to registers: LLVM gives such loads nt alone; found nt sc1}}
// expected-remark @+1 {{cache of v has no effect: the kernel has no vector instruction that loads or stores it}}
fmha.kernel @fetched_by_lane problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !view
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !pages
  %rows = fmha.rows k %view, %t at %page : !pages : !view
  %f = fmha.fetch k %rows : !fmha.rows<128, f8E4M3FN> -> !pieces
  %l:2 = fmha.to_lanes %f : !pieces -> vector<8xi8>, vector<8xi8>
}

// -----

// A number of a page that holds a tile comes by a scalar load.
// CHECK-LABEL: fmha.kernel @looked_up
// CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c0_i32{{(_[0-9]+)?}} {
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <pages = nt>, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
// expected-remark @+1 {{cache of pages has no effect: the kernel has no vector instruction that loads or stores it}}
fmha.kernel @looked_up problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> i32
  %rows = fmha.rows k %view, %t at %page : i32 : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
}

// -----

// Factors: of rows of Q, and of keys.
// CHECK-LABEL: fmha.kernel @factors
// CHECK: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %c2_i32{{(_[0-9]+)?}} : f32
// CHECK-COUNT-16: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %c17_i32{{(_[0-9]+)?}} : f32
// CHECK-COUNT-16: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %c3_i32{{(_[0-9]+)?}} : f32
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, q_scale = token, k_scale = token, v_scale = token>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <q_scale = nt, k_scale = sc0 sc1, v_scale = sc0 nt>,
  pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @factors problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %w: !s, %i: i32, %most: !row):
  %qv = fmha.view q_scale : !view
  %0 = fmha.load_factors %qv : !view -> !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
  %kv = fmha.view k_scale : !view
  %2 = fmha.scale_keys %s, %kv, %i : !s, !view
  %3 = fmha.to_lanes %2 : !s -> vector<16xf32>
  %vv = fmha.view v_scale : !view
  %4, %5, %6 = fmha.fold_keys %w, %vv, %i, %most : !s, !view, !row
  %7 = fmha.to_lanes %4 : !s -> vector<16xf32>
  %8 = fmha.to_lanes %5 : !row -> vector<1xf32>
  %9 = fmha.to_lanes %6 : !row -> vector<1xf32>
}
