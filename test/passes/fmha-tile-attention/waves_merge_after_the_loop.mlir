// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s
// RUN: sed -e 's/key_waves = 4/key_waves = 1/; s/tile_m = 16/tile_m = 64/' %s | %fmhac-opt -fmha-tile-attention | FileCheck %s --check-prefix=ALONE

// What waves have of their keys is merged once the loop is over, before anything is divided by the sum.
// CHECK: %[[R:.*]]:4 = fmha.kv_loop
// CHECK: %[[L:.*]] = fmha.combine_rows %[[R]]#1
// CHECK: %[[O:.*]], %[[M:.*]], %[[SUM:.*]] = fmha.merge_waves %[[R]]#2, %[[R]]#0, %[[L]] by %{{.*}} : !fmha.tile<16x64xf32>, !fmha.tile<16xf32> -> !fmha.tile<16x64xf32>
// CHECK: fmha.normalize %[[O]], %[[SUM]]
// CHECK: fmha.log_sum %[[M]], %[[SUM]]
// ALONE-NOT: fmha.merge_waves

fmha.attention @attn problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, lse = true>)
  schedule(#fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 4,
    qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
    k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
    pipeline = <stages = [<@all compute [qk]>]>>)
