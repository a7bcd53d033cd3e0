// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a schedule divides the steps of K, what its last columns have of them stays whole, in
// the last place.
// RUN: %fmhac-opt %s -fmha-tile-attention -fmha-assign-lane-layouts -fmha-plan-lds -fmha-software-pipeline -fmha-verify-rung=rung=pipelined | FileCheck %s

// CHECK: fmha.kv_loop
// CHECK: %[[K1:.*]] = fmha.read k %{{.*}} part <0 to 1 of 2>
// CHECK: %[[S1:.*]] = fmha.product k %[[Q:[^,]*]], %[[K1]] part <0 to 1 of 2>
// CHECK: %[[K2:.*]] = fmha.read k %{{.*}} part <1 to 2 of 2> onto %[[K1]]
// CHECK: %[[R:.*]] = fmha.read k_rope %{{.*}} ->
// CHECK: %[[S2:.*]] = fmha.product k %[[Q]], %[[K2]] part <1 to 2 of 2> onto %[[S1]]
// CHECK: fmha.product k_rope %[[Q]], %[[R]] skip 128 onto %[[S2]]

#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 1,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@scores compute [load_v, read_k[0 to 1 of 2], qk[0 to 1 of 2], read_k[1 to 2 of 2], qk[1 to 2 of 2], score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @parts problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 128, mask = none, rope_dim = 64>) schedule(#schedule)
