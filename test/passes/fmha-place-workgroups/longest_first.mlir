// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups -canonicalize -cse | FileCheck %s

// Workgroup L = x + X (y + H z) takes tile L / (H B) from the end. Of the heads that
// is L mod (H B): batch, and in it the head whose K and V come next, Hk neighbours
// with Hk different ones. X = (Sq + 63) / 64.
// CHECK: fmha.kernel
// CHECK-DAG: %[[X:.*]] = rocdl.workgroup.id.x : i32
// CHECK-DAG: %[[Y:.*]] = rocdl.workgroup.id.y : i32
// CHECK-DAG: %[[Z:.*]] = rocdl.workgroup.id.z : i32
// CHECK-DAG: %[[C63:.*]] = arith.constant 63 : i32
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
// CHECK-DAG: %[[SQ:.*]] = fmha.arg seqlen_q : i32
// CHECK-DAG: %[[H:.*]] = fmha.arg heads_q : i32
// CHECK-DAG: %[[B:.*]] = fmha.arg batch : i32
// CHECK-DAG: %[[ROUND:.*]] = arith.addi %[[SQ]], %[[C63]] : i32
// CHECK-DAG: %[[TILES:.*]] = arith.divui %[[ROUND]], %[[C64]] : i32
// CHECK-DAG: %[[ZH:.*]] = arith.muli %[[Z]], %[[H]] : i32
// CHECK-DAG: %[[YZ:.*]] = arith.addi %[[ZH]], %[[Y]] : i32
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[YZ]], %[[TILES]] : i32
// CHECK-DAG: %[[L:.*]] = arith.addi %[[ROW]], %[[X]] : i32
// CHECK-DAG: %[[ALL:.*]] = arith.muli %[[H]], %[[B]] : i32
// CHECK-DAG: %[[NTH:.*]] = arith.divui %[[L]], %[[ALL]] : i32
// CHECK: %[[BATCH:.*]] = arith.divui %{{.*}}, %[[H]] : i32
// CHECK: %[[HK:.*]] = fmha.arg heads_kv : i32
// CHECK: %[[OF_GROUP:.*]] = arith.divui %{{.*}}, %[[HK]] : i32
// CHECK: %[[GROUP:.*]] = arith.divui %[[H]], %[[HK]] : i32
// CHECK: %[[LAST:.*]] = arith.{{addi|subi}} %[[TILES]], %{{.*}} : i32
// CHECK: %[[TILE:.*]] = arith.subi %[[LAST]], %[[NTH]] : i32
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[GROUP]] : i32
// CHECK: %[[HEAD:.*]] = arith.addi %[[FIRST]], %[[OF_GROUP]] : i32

// A grid that 32 bits cannot count keeps its order.
// CHECK: %[[ABOVE:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[ABOVE]], %{{.*}} : i32
// CHECK-DAG: %[[T:.*]] = arith.select %[[FITS]], %[[TILE]], %[[X]] : i32
// CHECK-DAG: %[[HD:.*]] = arith.select %[[FITS]], %[[HEAD]], %[[Y]] : i32
// CHECK-DAG: %[[BT:.*]] = arith.select %[[FITS]], %[[BATCH]], %[[Z]] : i32
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s" %[[T]], %[[HD]], %[[BT]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  %0 = fmha.id q_tile : i32
  %1 = fmha.id head : i32
  %2 = fmha.id batch : i32
  llvm.inline_asm has_side_effects "", "s,s,s" %0, %1, %2 : (i32, i32, i32) -> ()
}
