// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups | FileCheck %s

// Tile, head and batch are x, y and z of the grid, read at the start, also for uses in
// the loop; other ids stay.
// CHECK: fmha.kernel
// CHECK-NEXT: ^bb0(%[[LO:.*]]: i32, %[[HI:.*]]: i32):
// CHECK-DAG: %[[X:.*]] = rocdl.workgroup.id.x : i32
// CHECK-DAG: %[[Y:.*]] = rocdl.workgroup.id.y : i32
// CHECK-DAG: %[[Z:.*]] = rocdl.workgroup.id.z : i32
// CHECK-NOT: fmha.arg
// CHECK: fmha.kv_loop
// CHECK: %[[W:.*]] = fmha.id wave : i32
// CHECK: llvm.inline_asm has_side_effects "", "s,s" %[[W]], %[[X]]
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s" %[[X]], %[[Y]], %[[Z]]
// CHECK-NOT: fmha.id

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %w = fmha.id wave : i32
    %0 = fmha.id q_tile : i32
    llvm.inline_asm has_side_effects "", "s,s" %w, %0 : (i32, i32) -> ()
    fmha.yield
  }
  %1 = fmha.id q_tile : i32
  %2 = fmha.id head : i32
  %3 = fmha.id batch : i32
  llvm.inline_asm has_side_effects "", "s,s,s" %1, %2, %3 : (i32, i32, i32) -> ()
}
