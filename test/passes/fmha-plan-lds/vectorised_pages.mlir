// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds | FileCheck %s

// Eight lanes of a copy have pieces that follow one another in memory, a line of the cache: of K 8 columns of
// neighbouring keys, of V 8 keys of neighbouring columns, which lie on end in LDS, too.
// CHECK-DAG: #[[DMAK:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], {{.*}}], lane = {{\[\[}}1, 0], [2, 0], [4, 0], {{.*}}], wave = {{.*}}>
// CHECK-DAG: #[[DMAV:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}1, 0], [2, 0], [4, 0], {{.*}}], lane = {{\[\[}}0, 1], [0, 2], [0, 4], {{.*}}], wave = {{.*}}>
// CHECK-DAG: #[[LDSV:.*]] = #fmha.lds_layout<row = [2, 4, 8, {{.*}}], col = [16, 32, 64, {{.*}}], line_bytes = 1024, bytes = 4096, conflict_ways = 1>
// Where a fragment has 8 keys of 8 bits it is read 8 bytes at a time. Of 32 lanes, which LDS serves at once, each
// has a piece of its own: 512 bytes, in which a bank has two words.
// CHECK-DAG: #[[LDS8:.*]] = #fmha.lds_layout<row = [1, 2, 4, 8, {{.*}}], col = [16, 32, 64, {{.*}}], line_bytes = 1024, bytes = 2048, conflict_ways = 2>
// CHECK-LABEL: fmha.kernel @k
// CHECK: fmha.lds_buffer v : !fmha.lds<64x32xbf16, 4096, #[[LDSV]]>
// CHECK: fmha.copy k {{.*}} dma(#[[DMAK]])
// CHECK: fmha.copy v {{.*}} dma(#[[DMAV]])
// CHECK-LABEL: fmha.kernel @of_8_keys
// CHECK: fmha.lds_buffer v : !fmha.lds<32x64xf8E4M3FN, 0, #[[LDS8]]>

#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64, vectorised = true>
#problem8 = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, lengths_kv = true, pages = table, page_size = 64, vectorised = true>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [8, 0], [4, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [4, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0]], wave = [[0, 0]]>
#v8 = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [4, 0], [16, 0], [0, 32]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<32, bf16>, %vv: !fmha.view<32, bf16>, %page: i32, %t: i32):
  %at0 = fmha.rows k %kv, %t at %page : i32 : !fmha.view<32, bf16>
  %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16, #k>
  %at1 = fmha.rows v %vv, %t at %page : i32 : !fmha.view<32, bf16>
  %v = fmha.load v %at1 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16, #v>
}
fmha.kernel @of_8_keys problem(#problem8) schedule(#schedule) {
^bb0(%vv: !fmha.view<64, f8E4M3FN>, %page: i32, %t: i32):
  %at = fmha.rows v %vv, %t at %page : i32 : !fmha.view<64, f8E4M3FN>
  %v = fmha.load v %at : !fmha.rows<64, f8E4M3FN> -> !fmha.tile<32x64xf8E4M3FN, #v8>
}
