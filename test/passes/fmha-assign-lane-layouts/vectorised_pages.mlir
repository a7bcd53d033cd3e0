// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// A piece of V is 8 keys of a column. The result of 32x32x16 has rows 1, 2, 8, 16 in registers and 4 in
// lanes (mfma_32x32x16.mlir): of a fragment of P, which is eight of them, the first two and the third are
// to be keys 1, 2 and 4; so row 8 is key 4, and row 4 key 8. K's row r is what row r of the result is.
// CHECK-DAG: #[[K:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [8, 0], [4, 0], [16, 0], [0, 8]], wave = {{\[\[}}0, 0]]>
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = {{\[\[}}32, 0]]>
// CHECK-DAG: #[[V:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}1, 0], [2, 0], [4, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0]], wave = {{\[\[}}0, 0]]>

// Of 8 bits it is 16 keys. A fragment of 32x32x64 holds rows 1, 2, 8, 16 and 32: the first four are keys
// 1, 2, 4 and 8, and row 4, that of lanes, key 16.
// CHECK-DAG: #[[K8:.*]] = #fmha.lane_layout<fragment = 32, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [16, 0], [4, 0], [8, 0], [0, 16]], wave = {{\[\[}}0, 0]]>
// CHECK-DAG: #[[S8:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = {{\[\[}}32, 0]]>
// CHECK-DAG: #[[V8:.*]] = #fmha.lane_layout<fragment = 32, reg = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [32, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [16, 0]], wave = {{\[\[}}0, 0]]>

// 16x16x32 has rows 1 and 2 in registers, 4 and 8 in lanes; of the next strip of 16 rows a fragment of P has
// its other half: row 16 is key 4, row 4 key 8, row 8 key 16.
// CHECK-DAG: #[[K16:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [8, 0], [16, 0], [0, 8], [0, 16]], wave = {{\[\[}}0, 0]]>
// CHECK-DAG: #[[S16:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 32], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[\[}}16, 0]]>

// CHECK-LABEL: fmha.kernel @k
// CHECK: fmha.load k {{.*}} -> !fmha.tile<64x32xbf16, #[[K]]>
// CHECK: fmha.load v {{.*}} -> !fmha.tile<64x32xbf16, #[[V]]>
// CHECK: fmha.product k {{.*}} -> !fmha.tile<64x64xf32, #[[S]]>
// CHECK-LABEL: fmha.kernel @of_8_bits
// CHECK: fmha.load k {{.*}} -> !fmha.tile<64x64xf8E4M3FN, #[[K8]]>
// CHECK: fmha.load v {{.*}} -> !fmha.tile<64x32xf8E4M3FN, #[[V8]]>
// CHECK: fmha.product k {{.*}} -> !fmha.tile<64x64xf32, #[[S8]]>
// CHECK-LABEL: fmha.kernel @of_16_rows
// CHECK: fmha.load k {{.*}} -> !fmha.tile<64x32xbf16, #[[K16]]>
// CHECK: fmha.product k {{.*}} -> !fmha.tile<64x64xf32, #[[S16]]>

#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#of8 = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#of16 = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64, vectorised = true>
#problem8 = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64, vectorised = true>

fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%qv: !fmha.view<32, bf16>, %kv: !fmha.view<32, bf16>, %vv: !fmha.view<32, bf16>, %page: i32, %t: i32):
  %q = fmha.load_q %qv : !fmha.view<32, bf16> -> !fmha.tile<64x32xbf16>
  %o = fmha.init 0.0 : !fmha.tile<64x32xf32>
  %at0 = fmha.rows k %kv, %t at %page : i32 : !fmha.view<32, bf16>
  %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %at1 = fmha.rows v %vv, %t at %page : i32 : !fmha.view<32, bf16>
  %v = fmha.load v %at1 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %s = fmha.product k %q, %k : !fmha.tile<64x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<64x64xf32>
  %p = fmha.convert %s : !fmha.tile<64x64xf32> -> !fmha.tile<64x64xbf16>
  %o1 = fmha.product v %p, %v onto %o : !fmha.tile<64x32xf32> : !fmha.tile<64x64xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<64x32xf32>
}
fmha.kernel @of_8_bits problem(#problem8) schedule(#of8) {
^bb0(%qv: !fmha.view<64, f8E4M3FN>, %kv: !fmha.view<64, f8E4M3FN>, %vv: !fmha.view<32, f8E4M3FN>, %page: i32, %t: i32):
  %q = fmha.load_q %qv : !fmha.view<64, f8E4M3FN> -> !fmha.tile<64x64xf8E4M3FN>
  %o = fmha.init 0.0 : !fmha.tile<64x32xf32>
  %at0 = fmha.rows k %kv, %t at %page : i32 : !fmha.view<64, f8E4M3FN>
  %k = fmha.load k %at0 : !fmha.rows<64, f8E4M3FN> -> !fmha.tile<64x64xf8E4M3FN>
  %at1 = fmha.rows v %vv, %t at %page : i32 : !fmha.view<32, f8E4M3FN>
  %v = fmha.load v %at1 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<64x32xf8E4M3FN>
  %s = fmha.product k %q, %k : !fmha.tile<64x64xf8E4M3FN>, !fmha.tile<64x64xf8E4M3FN> -> !fmha.tile<64x64xf32>
  %p = fmha.convert %s : !fmha.tile<64x64xf32> -> !fmha.tile<64x64xf8E4M3FN>
  %o1 = fmha.product v %p, %v onto %o : !fmha.tile<64x32xf32> : !fmha.tile<64x64xf8E4M3FN>, !fmha.tile<64x32xf8E4M3FN> -> !fmha.tile<64x32xf32>
}
fmha.kernel @of_16_rows problem(#problem) schedule(#of16) {
^bb0(%qv: !fmha.view<32, bf16>, %kv: !fmha.view<32, bf16>, %vv: !fmha.view<32, bf16>, %page: i32, %t: i32):
  %q = fmha.load_q %qv : !fmha.view<32, bf16> -> !fmha.tile<64x32xbf16>
  %at0 = fmha.rows k %kv, %t at %page : i32 : !fmha.view<32, bf16>
  %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %s = fmha.product k %q, %k : !fmha.tile<64x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<64x64xf32>
}
