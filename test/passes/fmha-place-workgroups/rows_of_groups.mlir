// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups | FileCheck %s

// Heads of the grid are those of K and V, which take turns as they are; as many tiles as n G rows
// fill.
// CHECK: fmha.kernel
// CHECK: fmha.arg seqlen_q
// CHECK: %[[HQ:.*]] = fmha.arg heads_q
// CHECK: %[[HK:.*]] = fmha.arg heads_kv
// CHECK: arith.divui
// CHECK: %[[ROWS:.*]] = arith.muli
// CHECK: %[[HEADS:.*]] = fmha.arg heads_kv
// CHECK: %[[BATCHES:.*]] = fmha.arg batch
// CHECK: %[[ALL:.*]] = arith.muli %[[HEADS]], %[[BATCHES]] : i32
// CHECK: %[[TILE:.*]] = arith.divui %{{.*}}, %[[ALL]] : i32
// CHECK: %[[REST:.*]] = arith.subi
// CHECK: %[[BATCH:.*]] = arith.divui %[[REST]], %[[HEADS]] : i32
// CHECK: %[[DONE:.*]] = arith.muli %[[BATCH]], %[[HEADS]] : i32
// CHECK: %[[HEAD:.*]] = arith.subi %[[REST]], %[[DONE]] : i32
// CHECK-NOT: arith.divui
// CHECK: arith.select %{{.*}}, %[[HEAD]], %{{.*}} : i32
// CHECK: arith.select %{{.*}}, %[[BATCH]], %{{.*}} : i32
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rows = group, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
    launch(<grid = ["ceil(Sq * ceil(Hq / Hk) / 64)", "Hk", "B"], block = 128>) {
  fmha.work grid (%row, %head, %batch) {
    %0 = arith.addi %row, %head : i32
    %1 = arith.addi %0, %batch : i32
  }
}
