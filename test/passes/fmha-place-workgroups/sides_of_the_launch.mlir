// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups | FileCheck %s

// The sides are those of the launch, whatever the schedule: X = max((Sq + Hk - 1) / Hk, 2),
// H = Hq Hk, B = min(B - 1, Sk).
// CHECK: %[[SQ:.*]] = fmha.arg seqlen_q : i32
// CHECK: %[[HK:.*]] = fmha.arg heads_kv : i32
// CHECK: %[[LESS:.*]] = arith.subi %[[HK]], %c1_i32{{.*}} : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[SQ]], %[[LESS]] : i32
// CHECK: %[[CEIL:.*]] = arith.divui %[[SUM]], %[[HK]] : i32
// CHECK: %[[X:.*]] = arith.maxsi %[[CEIL]], %c2_i32{{.*}} : i32
// CHECK: %[[H:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[B1:.*]] = arith.subi %{{.*}}, %c1_i32{{.*}} : i32
// CHECK: %[[B:.*]] = arith.minsi %[[B1]], %{{.*}} : i32
// CHECK: arith.muli %{{.*}}, %[[H]] : i32
// CHECK: arith.muli %{{.*}}, %[[X]] : i32
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = head_major, pipeline = <stages = [<@scores compute [load_k, load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [convert, rescale, row_sum, read_v, pv]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["max(ceil(Sq / Hk), 2)", "Hq * Hk", "min(B - 1, Sk)"], block = 128>) {
  fmha.id q_tile : i32
}
