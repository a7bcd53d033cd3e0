// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// Four waves: bit 0 of their number counts rows, bit 1 keys; a wave has 32 of the 64. 16x16x32 gives a lane
// keys 1 and 2 of four, and lane bits 4 and 5 the other two bits; the next key bit, 16, is in registers. Whoever
// has a part of the keys has a part of K, of S, of P and of V, and all columns of O. Merged, bit 1 counts columns.
// CHECK-DAG: #[[Q:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[}}[16, 0], [0, 0]]>
// CHECK-DAG: #[[K:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[}}[0, 1], [0, 2], [0, 4], [16, 0]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[}}[0, 0], [32, 0]]>
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[}}[0, 1], [0, 2], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[}}[16, 0], [0, 32]]>
// CHECK-DAG: #[[P:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[}}[0, 1], [0, 2], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[}}[16, 0], [0, 32]]>
// CHECK-DAG: #[[V:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[}}[1, 0], [2, 0], [16, 0], [0, 16]], lane = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], wave = {{\[}}[0, 0], [32, 0]]>
// CHECK-DAG: #[[O:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[}}[0, 1], [0, 2], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[}}[16, 0], [0, 0]]>
// CHECK-DAG: #[[MERGED:.*]] = #fmha.lane_layout<fragment = 4, reg = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[}}[16, 0], [0, 16]]>
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1, reg = [], lane = {{\[}}[1], [2], [4], [8], [0], [0]], wave = {{\[}}[16], [0]]>
// CHECK: fmha.load_q {{.*}} -> !fmha.tile<32x32xbf16, #[[Q]]>
// CHECK: fmha.init {{.*}} : !fmha.tile<32xf32, #[[ROWS]]>
// CHECK: fmha.load k {{.*}} -> !fmha.tile<64x32xbf16, #[[K]]>
// CHECK: fmha.load v {{.*}} -> !fmha.tile<64x32xbf16, #[[V]]>
// CHECK: fmha.product k {{.*}} -> !fmha.tile<32x64xf32, #[[S]]>
// CHECK: fmha.convert {{.*}} -> !fmha.tile<32x64xbf16, #[[P]]>
// CHECK: fmha.product v {{.*}} -> !fmha.tile<32x32xf32, #[[O]]>
// CHECK: fmha.merge_waves {{.*}} : !fmha.tile<32x32xf32, #[[O]]>, !fmha.tile<32xf32, #[[ROWS]]> -> !fmha.tile<32x32xf32, #[[MERGED]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 4, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
!kv = !fmha.tile<64x32xbf16>
!s = !fmha.tile<32x64xf32>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %lo: i32, %hi: i32, %factor: f32):
  %q = fmha.load_q %view : !fmha.view<32, bf16> -> !fmha.tile<32x32xbf16>
  %none = fmha.init 0xFF800000 : !row
  %zero = fmha.init 0.0 : !row
  %acc = fmha.init 0.0 : !o
  %r:4 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %none, %l = %zero, %o = %acc, %shift = %zero) -> (!row, !row, !o, !row) {
    %atk = fmha.rows k %view, %t : !fmha.view<32, bf16>
    %k = fmha.load k %atk : !fmha.rows<32, bf16> -> !kv
    %atv = fmha.rows v %view, %t : !fmha.view<32, bf16>
    %v = fmha.load v %atv : !fmha.rows<32, bf16> -> !kv
    %s = fmha.product k %q, %k : !fmha.tile<32x32xbf16>, !kv -> !s
    %m1, %shift1, %c, %any = fmha.row_max %s, %m, %shift, %factor : !s, !row
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !o, !row, !row
    %d = fmha.subtract %s, %shift1, %factor : !s, !row
    %w = fmha.exp %d : !s
    %p = fmha.convert %w : !s -> !fmha.tile<32x64xbf16>
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %o2 = fmha.product v %p, %v onto %o1 : !o : !fmha.tile<32x64xbf16>, !kv -> !o
    fmha.yield %m1, %l2, %o2, %shift1 : !row, !row, !o, !row
  }
  %sum = fmha.combine_rows %r#1 : !row
  %om, %mm, %lm = fmha.merge_waves %r#2, %r#0, %sum by %factor : !o, !row -> !o
}
