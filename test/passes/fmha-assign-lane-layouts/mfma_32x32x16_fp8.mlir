// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts | FileCheck %s

// The instruction, 32x32x16 on fp8 (CDNA4 ISA, dense MFMA), lane l = 32h + c, has the lanes of
// that on 16 bits:
//   A: row c,    k = 8h + e, e = 0..7       B: column c, k = 8h + e
//   result, register r = 0..15: column c, row 8 (r / 4) + 4h + r % 4
// Here M = 64 with 2 waves, N = 64, Dqk = 32, Dv = 32.
//
// CHECK-DAG: #[[Q:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = {{\[\[}}32, 0]]>
// CHECK-DAG: #[[K:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16], [32, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = {{\[\[}}0, 0]]>
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
// CHECK-DAG: #[[P:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>
// CHECK-DAG: #[[V:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}1, 0], [2, 0], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = {{\[\[}}0, 0]]>
// CHECK-DAG: #[[O:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0]]>

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// CHECK: fmha.load_q {{.*}} -> !fmha.tile<64x32xf8E4M3FN, #[[Q]]>
// CHECK: fmha.load k {{.*}} -> !fmha.tile<64x32xf8E4M3FN, #[[K]]>
// CHECK: fmha.load v {{.*}} -> !fmha.tile<64x32xf8E4M3FN, #[[V]]>
// CHECK: fmha.product k {{.*}} -> !fmha.tile<64x64xf32, #[[S]]>
// CHECK: fmha.exp {{.*}} : !fmha.tile<64x64xf32, #[[S]]>
// CHECK: fmha.convert {{.*}} -> !fmha.tile<64x64xf8E4M3FN, #[[P]]>
// CHECK: fmha.product v {{.*}} -> !fmha.tile<64x32xf32, #[[O]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%qv: !fmha.view<32, f8E4M3FN>, %kv: !fmha.view<32, f8E4M3FN>, %vv: !fmha.view<32, f8E4M3FN>, %lo: i32, %hi: i32):
  %q = fmha.load_q %qv : !fmha.view<32, f8E4M3FN> -> !fmha.tile<64x32xf8E4M3FN>
  %o0 = fmha.init 0.0 : !fmha.tile<64x32xf32>
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%o = %o0) -> (!fmha.tile<64x32xf32>) {
    %at0 = fmha.rows k %kv, %t : !fmha.view<32, f8E4M3FN>
    %k = fmha.load k %at0 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<64x32xf8E4M3FN>
    %at1 = fmha.rows v %vv, %t : !fmha.view<32, f8E4M3FN>
    %v = fmha.load v %at1 : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<64x32xf8E4M3FN>
    %s = fmha.product k %q, %k : !fmha.tile<64x32xf8E4M3FN>, !fmha.tile<64x32xf8E4M3FN> -> !fmha.tile<64x64xf32>
    %w = fmha.exp %s : !fmha.tile<64x64xf32>
    %p = fmha.convert %w : !fmha.tile<64x64xf32> -> !fmha.tile<64x64xf8E4M3FN>
    %o1 = fmha.product v %p, %v onto %o : !fmha.tile<64x32xf32> : !fmha.tile<64x64xf8E4M3FN>, !fmha.tile<64x32xf8E4M3FN> -> !fmha.tile<64x32xf32>
    fmha.yield %o1 : !fmha.tile<64x32xf32>
  }
}
