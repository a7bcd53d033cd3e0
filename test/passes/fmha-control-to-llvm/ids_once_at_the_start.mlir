// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// Lane and wave are the work-item's low 6 bits and the rest; the wave is read from one
// lane, so that LLVM knows it to be uniform. Work-items are 0..127 of 2 waves. All
// stand at the start, once each, also for uses in the loop.
// CHECK-LABEL: llvm.func @attn
// CHECK-DAG: %[[ITEM:.*]] = rocdl.workitem.id.x range <i32, 0, 128> : i32
// CHECK-DAG: %[[M:.*]] = arith.constant 63 : i32
// CHECK-DAG: %[[LANE:.*]] = arith.andi %[[ITEM]], %[[M]] : i32
// CHECK-DAG: %[[ITEM2:.*]] = rocdl.workitem.id.x range <i32, 0, 128> : i32
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[W:.*]] = arith.shrui %[[ITEM2]], %[[SIX]] : i32
// CHECK-DAG: %[[WAVE:.*]] = rocdl.readfirstlane %[[W]] : i32
// CHECK-DAG: %[[X:.*]] = rocdl.workgroup.id.x : i32
// CHECK-DAG: %[[Y:.*]] = rocdl.workgroup.id.y : i32
// CHECK-DAG: %[[Z:.*]] = rocdl.workgroup.id.z : i32
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s,s,s" %[[LANE]], %[[WAVE]], %[[X]], %[[Y]], %[[Z]]
// CHECK: scf.while
// CHECK: llvm.inline_asm has_side_effects "", "s" %[[WAVE]]
// CHECK-NOT: rocdl.readfirstlane

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  %l = fmha.id lane : i32
  %w = fmha.id wave : i32
  %x = rocdl.workgroup.id.x : i32
  %y = rocdl.workgroup.id.y : i32
  %z = rocdl.workgroup.id.z : i32
  llvm.inline_asm has_side_effects "", "s,s,s,s,s" %l, %w, %x, %y, %z : (i32, i32, i32, i32, i32) -> ()
  %lo = arith.constant 0 : i32
  %v = arith.constant dense<0.0> : vector<1xf32>
  %m0 = fmha.from_lanes %v : vector<1xf32> -> !row
  %r = fmha.kv_loop %t = %lo to %x iter_args(%m = %m0) -> (!row) {
    %w2 = fmha.id wave : i32
    llvm.inline_asm has_side_effects "", "s" %w2 : (i32) -> ()
    fmha.yield %m : !row
  }
}
