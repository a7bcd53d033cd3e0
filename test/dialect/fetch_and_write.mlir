// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [load_k, write_k, load_v, write_v]>]>>
// Two lines of 1024 bytes, 16 rows of 64 bytes each; a lane has 8 elements, 8 bytes of memory
// and 16 of LDS.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kview: !fmha.view<32, f8E4M3FN>, %vview: !fmha.view<32, f8E5M2>, %index: i32):
  // CHECK: %[[K:.*]] = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #[[LDS:.*]]>
  %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #lds>
  %v = fmha.lds_buffer v : !fmha.lds<32x32xbf16, 2048, #lds>
  %at0 = fmha.rows k %kview, %index : !fmha.view<32, f8E4M3FN>
  // CHECK: %[[FK:.*]] = fmha.fetch k %{{.*}} : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xf8E4M3FN, #[[P:.*]]>
  %fk = fmha.fetch k %at0 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xf8E4M3FN, #pieces>
  // CHECK: %{{.*}} = fmha.write k %[[FK]] into %[[K]] : !fmha.tile<32x32xf8E4M3FN, #[[P]]>, !fmha.lds<32x32xbf16, 0, #[[LDS]]>
  %tk = fmha.write k %fk into %k : !fmha.tile<32x32xf8E4M3FN, #pieces>, !fmha.lds<32x32xbf16, 0, #lds>
  %at1 = fmha.rows v %vview, %index : !fmha.view<32, f8E5M2>
  // CHECK: fmha.fetch v %{{.*}} : !fmha.rows<32, f8E5M2> -> !fmha.tile<32x32xf8E5M2>
  %fv = fmha.fetch v %at1 : !fmha.rows<32, f8E5M2> -> !fmha.tile<32x32xf8E5M2>
  // CHECK: fmha.write v
  %tv = fmha.write v %fv into %v : !fmha.tile<32x32xf8E5M2>, !fmha.lds<32x32xbf16, 2048, #lds>
  %at2 = fmha.rows k %kview, %index : !fmha.view<32, f8E4M3FN>
  // A tile of more bits than memory has: conversion is still to come.
  // CHECK: fmha.load k %{{.*}} : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xbf16>
  %l = fmha.load k %at2 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xbf16>
}
