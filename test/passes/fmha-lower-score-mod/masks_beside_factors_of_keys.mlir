// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-score-mod 2>/dev/null | FileCheck %s

// Two comparisons and a tanh beside factors of K's rows: (102 - 70 - 20) / (2 * 2) = 3
// scores have masks at a time. The key of each further one comes after the score
// that is three before it.
// CHECK-LABEL: fmha.kernel @factors
// CHECK: arith.cmpi eq,
// CHECK-NEXT: arith.select
// CHECK-NEXT: %[[S0:.*]] = arith.select
// CHECK: arith.cmpi eq,
// CHECK-NEXT: arith.select
// CHECK-NEXT: %[[S1:.*]] = arith.select
// CHECK: arith.cmpi eq,
// CHECK-NEXT: arith.select
// CHECK-NEXT: %[[S2:.*]] = arith.select
// CHECK-NEXT: %[[K3:.*]] = llvm.inline_asm "", "=v,0,v" %{{.*}}, %[[S0]] : (i32, f32) -> i32
// CHECK: %[[KEY3:.*]] = arith.addi %[[K3]], %{{.*}} : i32
// CHECK: arith.cmpi eq, %[[KEY3]],
// CHECK: llvm.inline_asm "", "=v,0,v" %[[K3]], %[[S1]] : (i32, f32) -> i32
// CHECK-COUNT-11: llvm.inline_asm
// CHECK-NOT: llvm.inline_asm
// All at once without a tanh, and without such factors.
// CHECK-LABEL: fmha.kernel @no_tanh
// CHECK-NOT: llvm.inline_asm
// CHECK-LABEL: fmha.kernel @no_factors
// CHECK-NOT: llvm.inline_asm

#factors = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, pages = list, page_size = 16>
#plain = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = block, pages = list, page_size = 16>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!s = !fmha.tile<64x32xf32, #s>
fmha.kernel @factors problem(#factors) schedule(#schedule) {
^bb0(%s: !s, %t: i32, %f: f32):
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %h = math.tanh %score : f32
    %a = arith.cmpi slt, %row, %key : i32
    %b = arith.cmpi eq, %key, %head : i32
    %y = arith.select %a, %f, %h : f32
    %z = arith.select %b, %f, %y : f32
    fmha.yield %z : f32
  } : !s
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
fmha.kernel @no_tanh problem(#factors) schedule(#schedule) {
^bb0(%s: !s, %t: i32, %f: f32):
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %a = arith.cmpi slt, %row, %key : i32
    %b = arith.cmpi eq, %key, %head : i32
    %y = arith.select %a, %f, %score : f32
    %z = arith.select %b, %f, %y : f32
    fmha.yield %z : f32
  } : !s
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
fmha.kernel @no_factors problem(#plain) schedule(#schedule) {
^bb0(%s: !s, %t: i32, %f: f32):
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %h = math.tanh %score : f32
    %a = arith.cmpi slt, %row, %key : i32
    %b = arith.cmpi eq, %key, %head : i32
    %y = arith.select %a, %f, %h : f32
    %z = arith.select %b, %f, %y : f32
    fmha.yield %z : f32
  } : !s
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
