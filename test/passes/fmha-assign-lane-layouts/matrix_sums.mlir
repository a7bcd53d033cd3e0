// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// P of 32x32x16 as the B operand of another one: columns are its rows, in lane bits 0 to 4.
// Every row of the result is the sum of its column: registers and lane bit 5 replicate.
// Rows over waves as everywhere. What is carried starts in that layout, and leaves it
// after the loop.
// CHECK-DAG: #[[SUMS:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[}}[0], [0], [0], [0]], lane = {{\[}}[1], [2], [4], [8], [16], [0]], wave = {{\[}}[32]]>
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1, reg = [], lane = {{\[}}[1], [2], [4], [8], [16], [0]], wave = {{\[}}[32]]>
// CHECK: fmha.init {{.*}} : !fmha.tile<64xf32, #[[SUMS]]>
// CHECK: fmha.rescale_if {{.*}}, !fmha.tile<64xf32, #[[SUMS]]>, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.matrix_sum {{.*}}, !fmha.tile<64xf32, #[[SUMS]]>
// CHECK: fmha.move_rows {{.*}} : !fmha.tile<64xf32, #[[SUMS]]> -> !fmha.tile<64xf32, #[[ROWS]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 32, n = 32, k = 16>, pipeline = <stages = [<@all compute [qk]>]>>
!p = !fmha.tile<64x64xbf16>
!s = !fmha.tile<64x64xf32>
!o = !fmha.tile<64x32xf32>
!row = !fmha.tile<64xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<64x32xbf16>, %view: !fmha.view<32, bf16>, %lo: i32, %hi: i32, %factor: f32):
  %zero = fmha.init 0.0 : !row
  %none = fmha.init 0xFF800000 : !row
  %sh = fmha.init 0.0 : !row
  %acc = fmha.init 0.0 : !o
  %r:4 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %none, %l = %zero, %o = %acc, %shift = %sh) -> (!row, !row, !o, !row) {
    %at0 = fmha.rows k %view, %t : !fmha.view<32, bf16>
    %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
    %s = fmha.product k %q, %k : !fmha.tile<64x32xbf16>, !fmha.tile<64x32xbf16> -> !s
    %m1, %shift1, %c, %any = fmha.row_max %s, %m, %shift, %factor : !s, !row
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !o, !row, !row
    %d = fmha.subtract %s, %shift1, %factor : !s, !row
    %w = fmha.exp %d : !s
    %p = fmha.convert %w : !s -> !p
    %l2 = fmha.matrix_sum %p to %l1 : !p, !row
    fmha.yield %m1, %l2, %o1, %shift1 : !row, !row, !o, !row
  }
  %end = fmha.move_rows %r#1 : !row -> !row
}
