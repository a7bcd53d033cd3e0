// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// The instruction, 32x32x16: see mfma_32x32x16.mlir. Here M = 128 with 2 waves: a wave owns
// 32 rows, the next wave 32, and each 32 more, 64 further, in other registers. N = 32, Dv = 32.
//
// Scores and exponents lie as results: registers are keys 1, 2, 8, 16, lane bit 5 is key
// 4; then the second block of rows.
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
// Weights: the same in operands of 8.
// CHECK-DAG: #[[P:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
// One value a row: a register for each block, and in both lanes that share a row.
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1, reg = {{\[\[}}64]], lane = {{\[\[}}1], [2], [4], [8], [16], [0]], wave = {{\[\[}}32]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<128x32xf32>
!rows = !fmha.tile<128xf32>

// O of 32 columns lies as S of 32 keys does.
// CHECK: fmha.kernel
// CHECK: %[[LOOP:.*]]:4 = fmha.kv_loop {{.*}} -> (!fmha.tile<128xf32, #[[ROWS]]>, !fmha.tile<128xf32, #[[ROWS]]>, !fmha.tile<128x32xf32, #[[S]]>, !fmha.tile<128xf32, #[[ROWS]]>)
// CHECK: fmha.row_max {{.*}} : !fmha.tile<128x32xf32, #[[S]]>, !fmha.tile<128xf32, #[[ROWS]]>
// CHECK: fmha.rescale_if {{.*}} : !fmha.tile<128x32xf32, #[[S]]>, !fmha.tile<128xf32, #[[ROWS]]>, !fmha.tile<128xf32, #[[ROWS]]>
// CHECK: fmha.subtract {{.*}} : !fmha.tile<128x32xf32, #[[S]]>, !fmha.tile<128xf32, #[[ROWS]]>
// CHECK: fmha.exp {{.*}} : !fmha.tile<128x32xf32, #[[S]]>
// CHECK: fmha.row_sum {{.*}} : !fmha.tile<128xf32, #[[ROWS]]> : !fmha.tile<128x32xf32, #[[S]]> -> !fmha.tile<128xf32, #[[ROWS]]>
// CHECK: fmha.convert {{.*}} : !fmha.tile<128x32xf32, #[[S]]> -> !fmha.tile<128x32xbf16, #[[P]]>
// CHECK: fmha.combine_rows %[[LOOP]]#1 : !fmha.tile<128xf32, #[[ROWS]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%qv: !fmha.view<32, bf16>, %kv: !fmha.view<32, bf16>, %vv: !fmha.view<32, bf16>, %factor: f32, %lo: i32, %hi: i32):
  %q = fmha.load_q %qv : !fmha.view<32, bf16> -> !fmha.tile<128x32xbf16>
  %m0 = fmha.init 0xFF800000 : !rows
  %z0 = fmha.init 0.0 : !rows
  %o0 = fmha.init 0.0 : !s
  %r:4 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %m0, %l = %z0, %o = %o0, %shift = %z0) -> (!rows, !rows, !s, !rows) {
    %at0 = fmha.rows k %kv, %t : !fmha.view<32, bf16>
    %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16>
    %at1 = fmha.rows v %vv, %t : !fmha.view<32, bf16>
    %v = fmha.load v %at1 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16>
    %s = fmha.product k %q, %k : !fmha.tile<128x32xbf16>, !fmha.tile<32x32xbf16> -> !s
    %m1, %shift1, %c, %changed = fmha.row_max %s, %m, %shift, %factor : !s, !rows
    %o1, %l1 = fmha.rescale_if %changed, %o, %l, %c : !s, !rows, !rows
    %x = fmha.subtract %s, %shift1, %factor : !s, !rows
    %e = fmha.exp %x : !s
    %l2 = fmha.row_sum %e to %l1 : !rows : !s -> !rows
    %p = fmha.convert %e : !s -> !fmha.tile<128x32xbf16>
    %o2 = fmha.product v %p, %v onto %o1 : !s : !fmha.tile<128x32xbf16>, !fmha.tile<32x32xbf16> -> !s
    fmha.yield %m1, %l2, %o2, %shift1 : !rows, !rows, !s, !rows
  }
  %sum = fmha.combine_rows %r#1 : !rows
}
