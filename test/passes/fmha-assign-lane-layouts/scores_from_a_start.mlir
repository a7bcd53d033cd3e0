// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// The instruction, 16x16x32: see mfma_16x16x32.mlir. Here M = 64 with 2 waves, two blocks of
// 16 rows each, 32 apart; N = 64, four strips of 16 keys.
//
// CHECK-DAG: #[[Q:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[\[}}16, 0]]>
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[\[}}0, 1], [0, 2], [0, 16], [0, 32], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[\[}}16, 0]]>
// What products start from is one result for all strips of keys, but each block of rows
// has its own.
// CHECK-DAG: #[[BASE:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[\[}}0, 1], [0, 2], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[\[}}16, 0]]>
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1, reg = {{\[\[}}32]], lane = {{\[\[}}1], [2], [4], [8], [0], [0]], wave = {{\[\[}}16]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
!q = !fmha.tile<64x32xbf16>
!s = !fmha.tile<64x64xf32>
!base = !fmha.tile<64x16xf32>
!rows = !fmha.tile<64xf32>

// CHECK: fmha.kernel
// CHECK: fmha.scale_q {{.*}} : !fmha.tile<64x32xbf16, #[[Q]]>
// CHECK: fmha.no_max : !fmha.tile<64x16xf32, #[[BASE]]>
// CHECK: fmha.kv_loop {{.*}} -> (!fmha.tile<64x16xf32, #[[BASE]]>, !fmha.tile<64xf32, #[[ROWS]]>, !fmha.tile<64xf32, #[[ROWS]]>)
// CHECK: fmha.product k {{.*}} from %{{.*}} : !fmha.tile<64x16xf32, #[[BASE]]> : {{.*}} -> !fmha.tile<64x64xf32, #[[S]]>
// CHECK: fmha.rebase {{.*}} : !fmha.tile<64x64xf32, #[[S]]>, !fmha.tile<64x16xf32, #[[BASE]]>, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.exp {{.*}} : !fmha.tile<64x64xf32, #[[S]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%qv: !fmha.view<32, bf16>, %kv: !fmha.view<32, bf16>, %factor: f32, %lo: i32, %hi: i32):
  %q0 = fmha.load_q %qv : !fmha.view<32, bf16> -> !q
  %q = fmha.scale_q %q0, %factor : !q
  %base0 = fmha.no_max : !base
  %m0 = fmha.init 0xFF800000 : !rows
  %r:3 = fmha.kv_loop %t = %lo to %hi iter_args(%base = %base0, %limit = %m0, %m = %m0) -> (!base, !rows, !rows) {
    %at0 = fmha.rows k %kv, %t : !fmha.view<32, bf16>
    %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
    %s = fmha.product k %q, %k from %base : !base : !q, !fmha.tile<64x32xbf16> -> !s
    %s1, %base1, %limit1, %m1, %c, %changed = fmha.rebase %s, %base, %limit, %m : !s, !base, !rows
    %e = fmha.exp %s1 : !s
    fmha.yield %base1, %limit1, %m1 : !base, !rows, !rows
  }
}
