// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file | FileCheck %s

// Scores take the factors of K's rows before anything else is done to them, weights those of V's
// rows after they were summed; O follows the greatest of these before the next product, and has it in
// the end.
// CHECK-LABEL: fmha.kernel @plain
// CHECK: %[[KV:.*]] = fmha.view k_scale : !fmha.view<1, f32>
// CHECK: %[[VV:.*]] = fmha.view v_scale : !fmha.view<1, f32>
// CHECK: %[[LOOP:.*]]:5 = fmha.kv_loop
// CHECK: %[[S:.*]] = fmha.product k
// CHECK: %[[X:.*]] = fmha.scale_keys %[[S]], %[[KV]], %{{.*}} :
// CHECK: fmha.mask %[[X]],
// CHECK: %[[P:.*]] = fmha.exp
// CHECK: %[[FOLDED:.*]], %[[MOST:.*]], %[[C:.*]] = fmha.fold_keys %[[P]], %[[VV]], %{{.*}}, %{{.*}} :
// CHECK: fmha.convert %[[FOLDED]]
// CHECK: fmha.row_sum %[[P]]
// CHECK: %[[O:.*]] = fmha.follow %{{.*}}, %[[C]] :
// CHECK: fmha.product v %{{.*}}, %{{.*}} onto %[[O]]
// CHECK: fmha.yield {{.*}}%[[MOST]] :
// CHECK: %[[OUT:.*]] = fmha.normalize %{{.*}}, %{{.*}} : !fmha
// CHECK: fmha.rescale %[[OUT]], %[[LOOP]]#4 :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#plain = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = token, v_scale = token>
fmha.attention @plain problem(#plain) schedule(#schedule)

// -----

// In 16 bits, too, the maximum is subtracted before the factor multiplies, where rows of K have
// factors; else one fma does both.
// CHECK-LABEL: fmha.kernel @converted
// CHECK: fmha.scale_keys
// CHECK: fmha.row_max %{{.*}} wide
// CHECK: fmha.subtract %{{.*}} wide
// CHECK: fmha.fold_keys
// CHECK-NOT: lift
// CHECK-LABEL: fmha.kernel @by_head
// CHECK: fmha.row_max
// CHECK-NOT: wide
// CHECK: fmha.store_o

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp, write_v]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv, write_k ahead 1]>]>>
#converted = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, v_scale = token, scale_block = 24>
#by_head = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E5M2, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = head, v_scale = head>
fmha.attention @converted problem(#converted) schedule(#schedule)
fmha.attention @by_head problem(#by_head) schedule(#schedule)

// -----

// Of f16, which is subnormal below 2^-14, weights are lifted when they take factors less than 1; O
// takes the lift back with the power of two that it follows.
// CHECK-LABEL: fmha.kernel @lifted
// CHECK: fmha.subtract
// CHECK-NOT: lift
// CHECK: fmha.fold_keys {{.*}} lift 12 :
// CHECK: %[[DOWN:.*]] = arith.constant 4.8828125E-4 : f32
// CHECK: fmha.normalize %{{.*}}, %{{.*}} times %[[DOWN]] :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 3, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp, write_v]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv, write_k ahead 1]>]>>
#lifted = #fmha.problem<q = f16, k = f8E4M3FN, v = f8E5M2, p = f16, o = f16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = token>
fmha.attention @lifted problem(#lifted) schedule(#schedule)

// -----

// An O of 8 bits: the greatest factor of a row over O's, kept finite.
// CHECK-LABEL: fmha.kernel @output
// CHECK: %[[OUT:.*]] = fmha.normalize %{{.*}}, %{{.*}} : !fmha
// CHECK: %[[R:.*]] = fmha.scale_rows %{{.*}}, %{{.*}} :
// CHECK: %[[M:.*]] = fmha.magnitude %[[R]] from 0.000000e+00 to 1.2676506E+30
// CHECK: fmha.rescale %[[OUT]], %[[M]] :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#output = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = f8E4M3FN, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = block, scale_block = 128>
fmha.attention @output problem(#output) schedule(#schedule)
