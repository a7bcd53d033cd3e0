// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file | FileCheck %s

// Factors of Q and K that all scores share join the scale, before the loop: Q takes the sign of all
// three, exponents the magnitude. V's factor over O's multiplies O once, in the end. They are
// loaded from memory; heads of K and V are those that heads of Q share.
// CHECK-LABEL: fmha.kernel @plain
// CHECK: %[[QO:.*]] = arith.addi
// CHECK: %[[QF:.*]] = fmha.load_uniform q_scale at %[[QO]] : f32
// CHECK: fmha.arg kv_head_reciprocal : i64
// CHECK: %[[KF:.*]] = fmha.load_uniform k_scale at %{{.*}} : f32
// CHECK: %[[QK:.*]] = arith.mulf %[[QF]], %[[KF]] : f32
// CHECK: %[[ARG:.*]] = fmha.arg scale : f32
// CHECK: %[[SCALE:.*]] = arith.mulf %[[QK]], %[[ARG]] : f32
// CHECK: %[[VF:.*]] = fmha.load_uniform v_scale at %{{.*}} : f32
// CHECK: %[[OF:.*]] = fmha.load_uniform o_scale at %{{.*}} : f32
// CHECK: %[[INV:.*]] = rocdl.rcp
// CHECK: %[[VO:.*]] = arith.mulf %[[VF]], %[[INV]] : f32
// CHECK: fmha.apply_sign %{{.*}}, %[[SCALE]] :
// CHECK: fmha.kv_loop
// CHECK-NOT: load_uniform
// CHECK: fmha.yield
// CHECK: fmha.normalize %{{.*}}, %{{.*}} times %{{.*}} :
// CHECK: fmha.store_o %{{.*}} !fmha.view<32, f8E4M3FN>

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#plain = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = f8E4M3FN, head_dim_qk = 32, head_dim_v = 32, mask = none, q_scale = head, k_scale = head, v_scale = head>
fmha.attention @plain problem(#plain) schedule(#schedule)

// -----

// A function of scores gets them times the scale and the factors. Without factors of V and O
// nothing multiplies O.
// CHECK-LABEL: fmha.kernel @function
// CHECK: %[[KF:.*]] = fmha.load_uniform k_scale at
// CHECK: %[[ARG:.*]] = fmha.arg scale : f32
// CHECK: %[[SCALE:.*]] = arith.mulf %[[KF]], %[[ARG]] : f32
// CHECK-NOT: fmha.apply_sign
// CHECK: fmha.score_mod
// CHECK-NEXT: arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK-NOT: times

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#function = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, softcap = 2.0 : f32, k_scale = head>
fmha.attention @function problem(#function) schedule(#schedule)
