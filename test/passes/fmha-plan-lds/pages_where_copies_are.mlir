// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds | FileCheck %s

// A lane gets the numbers of the pages of the keys that it copies: those bits of its copy's
// registers, lanes and waves that count keys. Keys of lanes lie in one page of 16, so that a wave
// needs two numbers; without pages lanes have keys 4, 8, 16 and 32, which would be four.
// CHECK-DAG: #[[KEYS:.*]] = #fmha.lane_layout<fragment = 1, reg = {{\[\[}}32]], lane = {{\[\[}}0], [1], [2], [4], [0], [8]], wave = {{\[\[}}16]]>
// CHECK-DAG: #[[DMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0]], lane = {{\[\[}}0, 8], [1, 0], [2, 0], [4, 0], [0, 16], [8, 0]], wave = {{\[\[}}16, 0]]>
// Of pages of 2 each lane has its own, and what costs least without pages is best.
// CHECK-DAG: #[[KEYS2:.*]] = #fmha.lane_layout<fragment = 1, reg = {{\[\[}}1]], lane = {{\[\[}}0], [0], [4], [8], [16], [32]], wave = {{\[\[}}2]]>
// CHECK: %[[PK:.*]] = fmha.look_up k %{{.*}}, %{{.*}} : !fmha.view<1, i32> -> !fmha.tile<64xi32, #[[KEYS]]>
// CHECK: %[[RK:.*]] = fmha.rows k %{{.*}}, %{{.*}} at %[[PK]]
// CHECK: fmha.copy k %[[RK]] into %{{.*}} dma(#[[DMA]])
// CHECK: fmha.look_up k %{{.*}}, %{{.*}} : !fmha.view<1, i32> -> !fmha.tile<64xi32, #[[KEYS2]]>

#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 16>
#pairs = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 2>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %table: !fmha.view<1, i32>, %t: i32):
  %0 = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !fmha.tile<64xi32>
  %1 = fmha.rows k %view, %t at %0 : !fmha.tile<64xi32> : !fmha.view<32, bf16>
  %2 = fmha.load k %1 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16, #k>
}
fmha.kernel @pairs problem(#pairs) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %table: !fmha.view<1, i32>, %t: i32):
  %0 = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !fmha.tile<64xi32>
  %1 = fmha.rows k %view, %t at %0 : !fmha.tile<64xi32> : !fmha.view<32, bf16>
  %2 = fmha.load k %1 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16, #k>
}
