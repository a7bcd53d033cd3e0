// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// The instruction, 32x32x16 on 16-bit operands (CDNA4 ISA, dense MFMA), lane
// l = 32h + c:
//   A: row c,    k = 8h + e, e = 0..7       B: column c, k = 8h + e
//   result, register r = 0..15: column c, row 8*(r/4) + 4h + (r%4)
// In bits: lane bits 0..4 are c, lane bit 5 is h; register bits 0..2 are e or
// r%4 and r/4. Coordinates below are (row, column) of the tile.
//
// Here M = 64 with 2 waves, N = 64, Dqk = 32, Dv = 128; waves own 32 rows each.
//
// Q is B: c is its row, k its column; then the second step of 16 columns.
// CHECK-DAG: #[[Q:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = {{\[\[}}32, 0]]>
//
// K is A: c is the key; then the step of columns, then the second strip of 32
// keys. All waves hold all of K.
// CHECK-DAG: #[[K:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = {{\[\[}}0, 0]]>
//
// S = (K Q^T)^T: the result's column is the row of S, its row is the key:
// r bits are keys 1, 2, 8, 16 and h is key 4; then the second strip.
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
//
// P is S where it lies, in operands of 8.
// CHECK-DAG: #[[P:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
//
// V is A of the second product: c is its column; the contracted slots (h, e) hold
// the keys that P has there, 4 and 1, 2, 8; then P's steps of 16 and 32 keys,
// then the chunks of 32 and 64 columns.
// CHECK-DAG: #[[V:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = {{\[\[}}0, 0]]>
//
// O = (V^T P^T)^T: column c is the row of O, the result's rows are its columns.
// CHECK-DAG: #[[O:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
//
// One value a row, in both lanes c and c + 32.
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1, reg = [], lane = {{\[\[}}1], [2], [4], [8], [16], [0]], wave = {{\[\[}}32]]>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.kernel
// CHECK: fmha.load_q {{.*}} -> !fmha.tile<{{.*}}, #[[Q]]>
// CHECK: fmha.apply_sign {{.*}}, #[[Q]]>
// CHECK: fmha.key_limit : !fmha.tile<64xi32, #[[ROWS]]>
// CHECK: fmha.init {{.*}} : !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.init {{.*}} : !fmha.tile<{{.*}}, #[[O]]>
// Carried tiles take the layouts of their first values.
// CHECK: fmha.kv_loop {{.*}} -> (!fmha.tile<64xf32, #[[ROWS]]>, !fmha.tile<64xf32, #[[ROWS]]>, !fmha.tile<{{.*}}, #[[O]]>, !fmha.tile<{{.*}}, #[[ROWS]]>)
// CHECK: fmha.load k {{.*}} -> !fmha.tile<{{.*}}, #[[K]]>
// CHECK: fmha.load v {{.*}} -> !fmha.tile<{{.*}}, #[[V]]>
// CHECK: fmha.product k {{.*}} : !fmha.tile<{{.*}}, #[[Q]]>, !fmha.tile<{{.*}}, #[[K]]> -> !fmha.tile<64x64xf32, #[[S]]>
// CHECK: fmha.mask {{.*}} : !fmha.tile<64x64xf32, #[[S]]>, !fmha.tile<64xi32, #[[ROWS]]>
// CHECK: fmha.row_max {{.*}} : !fmha.tile<64x64xf32, #[[S]]>, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.subtract {{.*}} : !fmha.tile<64x64xf32, #[[S]]>, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.exp {{.*}} : !fmha.tile<64x64xf32, #[[S]]>
// CHECK: fmha.row_sum {{.*}} : !fmha.tile<64x64xf32, #[[S]]> -> !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.convert {{.*}} : !fmha.tile<64x64xf32, #[[S]]> -> !fmha.tile<64x64xbf16, #[[P]]>
// CHECK: fmha.rescale {{.*}} : !fmha.tile<{{.*}}, #[[O]]>, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.product v {{.*}} : !fmha.tile<64x64xbf16, #[[P]]>, !fmha.tile<{{.*}}, #[[V]]> -> !fmha.tile<{{.*}}, #[[O]]>
// CHECK: fmha.normalize {{.*}} : !fmha.tile<{{.*}}, #[[O]]>, !fmha.tile<64xf32, #[[ROWS]]>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<{{.*}}, #[[O]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%qv: !fmha.view<32, bf16>, %kv: !fmha.view<32, bf16>, %vv: !fmha.view<128, bf16>, %ov: !fmha.view<128, bf16>, %scale: f32, %lo: i32, %hi: i32):
  %q0 = fmha.load_q %qv : !fmha.view<32, bf16> -> !fmha.tile<64x32xbf16>
  %q = fmha.apply_sign %q0, %scale : !fmha.tile<64x32xbf16>
  %limit = fmha.key_limit : !fmha.tile<64xi32>
  %m0 = fmha.init 0.0 : !fmha.tile<64xf32>
  %o0 = fmha.init 0.0 : !fmha.tile<64x128xf32>
  %r:4 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %m0, %l = %m0, %o = %o0, %shift = %m0) -> (!fmha.tile<64xf32>, !fmha.tile<64xf32>, !fmha.tile<64x128xf32>, !fmha.tile<64xf32>) {
    %at0 = fmha.rows k %kv, %t : !fmha.view<32, bf16>
    %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16>
    %s = fmha.product k %q, %k : !fmha.tile<64x32xbf16>, !fmha.tile<64x32xbf16> -> !fmha.tile<64x64xf32>
    %x = fmha.mask %s, %limit, %t : !fmha.tile<64x64xf32>, !fmha.tile<64xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %shift, %scale : !fmha.tile<64x64xf32>, !fmha.tile<64xf32>
    %d = fmha.subtract %x, %shift1, %scale : !fmha.tile<64x64xf32>, !fmha.tile<64xf32>
    %w = fmha.exp %d : !fmha.tile<64x64xf32>
    %l1 = fmha.row_sum %w to %l : !fmha.tile<64xf32> : !fmha.tile<64x64xf32> -> !fmha.tile<64xf32>
    %p = fmha.convert %w : !fmha.tile<64x64xf32> -> !fmha.tile<64x64xbf16>
    %o1 = fmha.rescale %o, %c : !fmha.tile<64x128xf32>, !fmha.tile<64xf32>
    %o2 = fmha.product v %p, %v onto %o1 : !fmha.tile<64x128xf32> : !fmha.tile<64x64xbf16>, !fmha.tile<64x128xbf16> -> !fmha.tile<64x128xf32>
    fmha.yield %m1, %l1, %o2, %shift1 : !fmha.tile<64xf32>, !fmha.tile<64xf32>, !fmha.tile<64x128xf32>, !fmha.tile<64xf32>
  }
  %out = fmha.normalize %r#2, %r#1 : !fmha.tile<64x128xf32>, !fmha.tile<64xf32>
  fmha.store_o %out, %ov : !fmha.tile<64x128xf32>, !fmha.view<128, bf16>
}
