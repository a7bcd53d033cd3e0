// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics | FileCheck %s

// K and V of e4m3, 128 keys, 128 columns: 16384 bytes, 8 waves with 2 copies of 1024 each.
//
// K: a read takes 16 columns. A phase of 16 lanes has 16 rows of 16 bytes in each column block
// of 16; keys 1, 2 and 4 choose lines, which padding of 16 bytes tells apart, key 8 the next 128
// bytes of one.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [1024, 2048, 4096, 128, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
// CHECK-DAG: #[[KDMA:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [64, 0]], lane = {{\[\[}}0, 16], [0, 32], [0, 64], [8, 0], [16, 0], [32, 0]], wave = {{\[\[}}1, 0], [2, 0], [4, 0]]>
// V: 32 lanes of 8 bytes are columns 8 and 16 and keys 1, 2 and 8: 8 and 16 bytes, 64 and 128,
// and for key 8 two lines, which padding moves by 32.
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [64, 128, 512, 2048, 1024, 4096, 8192], col = [1, 2, 4, 8, 16, 32, 256], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
// CHECK: fmha.copy k {{.*}} dma(#[[KDMA]]) : {{.*}} #[[KLDS]]>
// CHECK: fmha.copy v {{.*}} : {{.*}} #[[VLDS]]>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 64], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, f8E4M3FN>, %t: i32):
  %at0 = fmha.rows k %view, %t : !fmha.view<128, f8E4M3FN>
  // expected-remark @+1 {{k has LDS layout padded: no bank conflicts, 32 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes; before permuted for its simpler form}}
  %k = fmha.load k %at0 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<128x128xf8E4M3FN, #k>
  %at1 = fmha.rows v %view, %t : !fmha.view<128, f8E4M3FN>
  // expected-remark @+1 {{v has LDS layout permuted: no bank conflicts, 32 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes; before padded for fewer bytes}}
  %v = fmha.load v %at1 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<128x128xf8E4M3FN, #v>
  %a:8 = fmha.to_lanes %k : !fmha.tile<128x128xf8E4M3FN, #k> -> vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>
  %b:8 = fmha.to_lanes %v : !fmha.tile<128x128xf8E4M3FN, #v> -> vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>
}

// -----

// The layout of V that Modular's MLA kernel has (v227): chunks by keys 2, 4, 8 and 64, in them
// lines of 128 bytes by keys 1, 16 and 32. It costs what the one above costs. A copy is of a
// chunk, as the kernel's: lane l has columns 16 (l % 8) of keys 1, 16, 32 by l / 8. Which wave
// copies which chunk is another order.
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
// CHECK-DAG: #[[VDMA:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [64, 0]], lane = {{\[\[}}0, 16], [0, 32], [0, 64], [1, 0], [16, 0], [32, 0]], wave = {{\[\[}}2, 0], [4, 0], [8, 0]]>
// CHECK: fmha.copy v {{.*}} dma(#[[VDMA]]) : {{.*}} #[[VLDS]]>
// K in pieces of 16 bytes, key after key: no conflicts, but a line of the cache for each lane.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 0, layout = identity>, v = <read = column, max_pad_bytes = 0, map = <row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64], chunk_bytes = 1024, pad_bytes = 16>>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 64], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, f8E4M3FN>, %t: i32):
  %at2 = fmha.rows k %view, %t : !fmha.view<128, f8E4M3FN>
  // expected-remark @+1 {{k has LDS layout identity: no bank conflicts, 256 cycles of the vector cache}}
  %k = fmha.load k %at2 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<128x128xf8E4M3FN, #k>
  %at3 = fmha.rows v %view, %t : !fmha.view<128, f8E4M3FN>
  // expected-remark @+1 {{v has the LDS map that the schedule gives: no bank conflicts, 32 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes, 0 cycles of bank conflicts a wave and tile; in its place xor would be chosen: no bank conflicts, 32 cycles of the vector cache a wave and tile, 5 address registers, 16384 bytes}}
  %v = fmha.load v %at3 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<128x128xf8E4M3FN, #v>
  %a:8 = fmha.to_lanes %k : !fmha.tile<128x128xf8E4M3FN, #k> -> vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>
  %b:8 = fmha.to_lanes %v : !fmha.tile<128x128xf8E4M3FN, #v> -> vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>
}

// -----

// V with its rows of 128 bytes as they are: keys 2 and 8 of a phase meet in the banks of key 0, four
// ways. 3 cycles more for each of 2 phases of each of 32 reads. In its place the cheapest is taken.
// CHECK: #fmha.lds_layout<row = [128, 256, 512, 1024, 2048, 4096, 8192], col = [1, 2, 4, 8, 16, 32, 64], line_bytes = 1024, bytes = 16384, conflict_ways = 4>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64, map = <row = [128, 256, 512, 1024, 2048, 4096, 8192], col = [1, 2, 4, 8, 16, 32, 64]>>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, f8E4M3FN>, %t: i32):
  %at4 = fmha.rows v %view, %t : !fmha.view<128, f8E4M3FN>
  // expected-remark @+1 {{v has the LDS map that the schedule gives: bank conflicts of 4 ways, 32 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes, 192 cycles of bank conflicts a wave and tile; in its place permuted would be chosen: no bank conflicts, 32 cycles}}
  %v = fmha.load v %at4 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<128x128xf8E4M3FN, #v>
  %b:8 = fmha.to_lanes %v : !fmha.tile<128x128xf8E4M3FN, #v> -> vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>, vector<32xi8>
}
