// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups -canonicalize -cse | FileCheck %s

// Of N = X H B workgroups XCD c = L mod 8 starts L / 8 as number L / 8 of its run, which
// begins at c (N / 8) + min(c, N mod 8). In a run tiles come first, then heads.
// X = (Sq + 127) / 128.
// CHECK: fmha.kernel
// CHECK-DAG: %[[X:.*]] = rocdl.workgroup.id.x : i32
// CHECK-DAG: %[[Y:.*]] = rocdl.workgroup.id.y : i32
// CHECK-DAG: %[[Z:.*]] = rocdl.workgroup.id.z : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C127:.*]] = arith.constant 127 : i32
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[SQ:.*]] = fmha.arg seqlen_q : i32
// CHECK-DAG: %[[H:.*]] = fmha.arg heads_q : i32
// CHECK-DAG: %[[B:.*]] = fmha.arg batch : i32
// CHECK-DAG: %[[ROUND:.*]] = arith.addi %[[SQ]], %[[C127]] : i32
// CHECK-DAG: %[[TILES:.*]] = arith.divui %[[ROUND]], %[[C128]] : i32
// CHECK-DAG: %[[ZH:.*]] = arith.muli %[[Z]], %[[H]] : i32
// CHECK-DAG: %[[YZ:.*]] = arith.addi %[[ZH]], %[[Y]] : i32
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[YZ]], %[[TILES]] : i32
// CHECK-DAG: %[[L:.*]] = arith.addi %[[ROW]], %[[X]] : i32
// CHECK-DAG: %[[XH:.*]] = arith.muli %[[TILES]], %[[H]] : i32
// CHECK-DAG: %[[N:.*]] = arith.muli %[[XH]], %[[B]] : i32
// CHECK-DAG: %[[N8:.*]] = arith.divui %[[N]], %[[C8]] : i32
// CHECK-DAG: %[[N8X8:.*]] = arith.muli %[[N8]], %[[C8]] : i32
// CHECK-DAG: %[[REST:.*]] = arith.subi %[[N]], %[[N8X8]] : i32
// CHECK-DAG: %[[S:.*]] = arith.divui %[[L]], %[[C8]] : i32
// CHECK-DAG: %[[SX8:.*]] = arith.muli %[[S]], %[[C8]] : i32
// CHECK-DAG: %[[C:.*]] = arith.subi %[[L]], %[[SX8]] : i32
// CHECK-DAG: %[[FULL:.*]] = arith.muli %[[C]], %[[N8]] : i32
// CHECK-DAG: %[[MORE:.*]] = arith.minui %[[C]], %[[REST]] : i32
// CHECK-DAG: %[[BEGIN:.*]] = arith.addi %[[FULL]], %[[MORE]] : i32
// CHECK-DAG: %[[W:.*]] = arith.addi %[[BEGIN]], %[[S]] : i32
// CHECK-DAG: %[[WX:.*]] = arith.divui %[[W]], %[[TILES]] : i32
// CHECK-DAG: %[[WXX:.*]] = arith.muli %[[WX]], %[[TILES]] : i32
// CHECK-DAG: %[[TILE:.*]] = arith.subi %[[W]], %[[WXX]] : i32
// CHECK-DAG: %[[BATCH:.*]] = arith.divui %[[WX]], %[[H]] : i32
// CHECK-DAG: %[[WHH:.*]] = arith.muli %[[BATCH]], %[[H]] : i32
// CHECK-DAG: %[[HEAD:.*]] = arith.subi %[[WX]], %[[WHH]] : i32
// CHECK: %[[FITS:.*]] = arith.cmpi eq,
// CHECK-DAG: %[[T:.*]] = arith.select %[[FITS]], %[[TILE]], %[[X]] : i32
// CHECK-DAG: %[[HD:.*]] = arith.select %[[FITS]], %[[HEAD]], %[[Y]] : i32
// CHECK-DAG: %[[BT:.*]] = arith.select %[[FITS]], %[[BATCH]], %[[Z]] : i32
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s" %[[T]], %[[HD]], %[[BT]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = head_major, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 128)", "Hq", "B"], block = 256>) {
  %0 = fmha.id q_tile : i32
  %1 = fmha.id head : i32
  %2 = fmha.id batch : i32
  llvm.inline_asm has_side_effects "", "s,s,s" %0, %1, %2 : (i32, i32, i32) -> ()
}
