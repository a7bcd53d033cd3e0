// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// LSE is log2 of the sum of the exponentials, with the sink's if there is one; O, which
// was divided by the sum without it, is multiplied by what the sink leaves of it. The
// sink of a head lies at byte 4 * head.
// CHECK-LABEL: fmha.kernel @both
// CHECK: fmha.work grid (%{{.*}}, %[[HEAD:.*]], %[[BATCH:.*]]) {
// CHECK: %[[FACTOR:.*]] = arith.maxnumf
// CHECK: %[[R:.*]]:4 = fmha.kv_loop
// CHECK: %[[L:.*]] = fmha.combine_rows %[[R]]#1
// CHECK: %[[N:.*]] = fmha.normalize %[[R]]#2, %[[L]]
// CHECK: %[[SUM:.*]] = fmha.log_sum %[[R]]#0, %[[L]], %[[FACTOR]]
// CHECK: %[[HEAD64:.*]] = arith.extui %[[HEAD]] : i32 to i64
// CHECK: %[[C4:.*]] = arith.constant 4 : i64
// CHECK: %[[AT:.*]] = arith.muli %[[HEAD64]], %[[C4]] : i64
// CHECK: %[[SINK:.*]] = fmha.load_uniform sink at %[[AT]] : f32
// CHECK: %[[LSE:.*]], %[[WEIGHT:.*]] = fmha.add_sink %[[SUM]], %[[SINK]]
// CHECK: %[[O:.*]] = fmha.rescale %[[N]], %[[WEIGHT]]
// CHECK: fmha.store_o %[[O]], %{{.*}} : !fmha.tile<256x64xf32>, !fmha.view<64, bf16>
// CHECK: %[[V:.*]] = fmha.view lse : !fmha.view<1, f32>
// CHECK: fmha.store_lse %[[LSE]], %[[V]]
//
// CHECK-LABEL: fmha.kernel @lse
// CHECK: %[[N2:.*]] = fmha.normalize
// CHECK: %[[SUM2:.*]] = fmha.log_sum
// CHECK-NOT: fmha.add_sink
// CHECK: fmha.store_o %[[N2]]
// CHECK: fmha.store_lse %[[SUM2]]
//
// CHECK-LABEL: fmha.kernel @sink
// CHECK: fmha.add_sink
// CHECK: fmha.store_o
// CHECK-NOT: fmha.store_lse

#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#both = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, sink = true, lse = true>
fmha.attention @both problem(#both) schedule(#schedule)
#lse = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, lse = true>
fmha.attention @lse problem(#lse) schedule(#schedule)
#sink = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, sink = true>
fmha.attention @sink problem(#sink) schedule(#schedule)
