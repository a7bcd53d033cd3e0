// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// What is done to scores leaves them where they lie; what a row has lies as its limit.
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 16,
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1,
// CHECK: fmha.key_first : !fmha.tile<64xi32, #[[ROWS]]>
// CHECK: } : !fmha.tile<64x32xf32, #[[S]]>
// CHECK: fmha.add_bias {{.*}} : !fmha.tile<64x32xf32, #[[S]]>
// CHECK: fmha.mask {{.*}} from {{.*}} : !fmha.tile<64xi32, #[[ROWS]]> : !fmha.tile<64x32xf32, #[[S]]>, !fmha.tile<64xi32, #[[ROWS]]>
// CHECK: fmha.log_sum {{.*}} : !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.add_sink {{.*}} : !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.rescale {{.*}}, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.store_lse {{.*}} : !fmha.tile<64xf32, #[[ROWS]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_left = 4, bias = true, sink = true, lse = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.view<32, bf16>, %k: !fmha.view<32, bf16>, %b: !fmha.view<32, f32>, %o: !fmha.view<32, bf16>, %lse: !fmha.view<1, f32>, %f: f32, %t: i32):
  %qt = fmha.load_q %q : !fmha.view<32, bf16> -> !fmha.tile<64x32xbf16>
  %at0 = fmha.rows k %k, %t : !fmha.view<32, bf16>
  %kt = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16>
  %limit = fmha.key_limit : !fmha.tile<64xi32>
  %first = fmha.key_first : !fmha.tile<64xi32>
  %m = fmha.init 0.0 : !fmha.tile<64xf32>
  %acc = fmha.init 0.0 : !fmha.tile<64x32xf32>
  %s = fmha.product k %qt, %kt : !fmha.tile<64x32xbf16>, !fmha.tile<32x32xbf16> -> !fmha.tile<64x32xf32>
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    fmha.yield %score : f32
  } : !fmha.tile<64x32xf32>
  %y = fmha.add_bias %x, %b, %t : !fmha.tile<64x32xf32>, !fmha.view<32, f32>
  %z = fmha.mask %y, %limit, %t from %first : !fmha.tile<64xi32> : !fmha.tile<64x32xf32>, !fmha.tile<64xi32>
  %sum = fmha.log_sum %m, %m, %f : !fmha.tile<64xf32>
  %r, %w = fmha.add_sink %sum, %f : !fmha.tile<64xf32>
  %out = fmha.rescale %acc, %w : !fmha.tile<64x32xf32>, !fmha.tile<64xf32>
  fmha.store_o %out, %o : !fmha.tile<64x32xf32>, !fmha.view<32, bf16>
  fmha.store_lse %r, %lse : !fmha.tile<64xf32>, !fmha.view<1, f32>
}
