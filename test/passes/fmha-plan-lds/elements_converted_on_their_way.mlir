// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// K of e4m3 and V of e5m2 under Q of bf16: LDS has bf16, and what a lane writes, 8 elements in 16
// bytes, it loads before, 8 elements in 8 bytes. Nothing is copied.
//
// K as of 16 bits (lines of four whole rows, padding of 16 bytes): 4 loads a wave, of 4 rows of
// 128 bytes, which are 4 lines of the cache, 8 cycles.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [1024, 2048, 4096, 8192, 256, 512], col = [2, 4, 8, 16, 32, 64, 128], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
// CHECK-DAG: #[[KREG:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [16, 0], [32, 0]], wave = {{\[\[}}1, 0], [2, 0]]>
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<{{.*}}conflict_ways = 1>
// CHECK: %[[KB:.*]] = fmha.lds_buffer k : !fmha.lds<64x128xbf16, 0, #[[KLDS]]>
// CHECK: %[[VB:.*]] = fmha.lds_buffer v : !fmha.lds<64x128xbf16, 16640, #{{.*}}>
// CHECK-NOT: fmha.copy
// CHECK: {{.*}} = fmha.rows k %{{.*}}, %[[T:.*]] :
// CHECK-NEXT: %[[K:.*]] = fmha.fetch k %{{.*}} : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<64x128xf8E4M3FN, #[[KREG]]>
// CHECK-NEXT: %[[TK:.*]] = fmha.write k %[[K]] into %[[KB]]
// CHECK-NEXT: {{.*}} = fmha.rows v %{{.*}}, %[[T]] :
// CHECK-NEXT: %[[V:.*]] = fmha.fetch v %{{.*}} : !fmha.rows<128, f8E5M2> -> !fmha.tile<64x128xf8E5M2, #{{.*}}>
// CHECK-NEXT: %[[TV:.*]] = fmha.write v %[[V]] into %[[VB]]
// CHECK-NEXT: fmha.read k %[[KB]] after %[[TK]] : {{.*}} -> !fmha.tile<64x128xbf16, #{{.*}}>
// CHECK: fmha.read v %[[VB]] after %[[TV]] : {{.*}} -> !fmha.tile<64x128xbf16, #{{.*}}>
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, f8E4M3FN>, %vv: !fmha.view<128, f8E5M2>, %t: i32):
  %at0 = fmha.rows k %kv, %t : !fmha.view<128, f8E4M3FN>
  // expected-remark @+1 {{k has LDS layout padded: no bank conflicts, 32 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes}}
  %k = fmha.load k %at0 : !fmha.rows<128, f8E4M3FN> -> !fmha.tile<64x128xbf16, #k>
  %at1 = fmha.rows v %vv, %t : !fmha.view<128, f8E5M2>
  // expected-remark @+1 {{v has LDS layout}}
  %v = fmha.load v %at1 : !fmha.rows<128, f8E5M2> -> !fmha.tile<64x128xbf16, #v>
  %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
  %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
