// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// Weights of each wave are relative to the greatest factor of V that it has met: O is divided by the wave's sum and
// takes that factor before it is merged, and nothing divides it after.
// CHECK: %[[R:.*]]:5 = fmha.kv_loop
// CHECK: %[[L:.*]] = fmha.combine_rows %[[R]]#1
// CHECK: %[[N:.*]] = fmha.normalize %[[R]]#2, %[[L]] times
// CHECK: %[[OWN:.*]] = fmha.rescale %[[N]], %[[R]]#4
// CHECK: %[[O:.*]], %[[M:.*]], %[[SUM:.*]] = fmha.merge_waves %[[OWN]], %[[R]]#0, %[[L]] by %{{.*}} wide normalized
// CHECK-NOT: fmha.normalize
// CHECK: fmha.log_sum %[[M]], %[[SUM]]
// CHECK: fmha.store_o %[[O]]

fmha.attention @attn problem(#fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, v_scale = token, lse = true>)
  schedule(#fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
    qk = <m = 16, n = 16, k = 128>, pv = <m = 16, n = 16, k = 32>,
    k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
    pipeline = <stages = [<@all compute [load_k, load_v, read_k, qk, score_mod, mask, row_max, rescale, subtract, exp, convert, row_sum, read_v, pv]>]>>)
