// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups -canonicalize -cse | FileCheck %s

// A row sees what lies after it: the first rows see the most, and the tiles are
// counted from the front.
// CHECK: fmha.kernel
// CHECK: %[[X:.*]] = rocdl.workgroup.id.x : i32
// CHECK: %[[H:.*]] = fmha.arg heads_q : i32
// CHECK: %[[B:.*]] = fmha.arg batch : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[H]], %[[B]] : i32
// CHECK: %[[TILE:.*]] = arith.divui %{{.*}}, %[[ALL]] : i32
// CHECK: %[[T:.*]] = arith.select %{{.*}}, %[[TILE]], %[[X]] : i32
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s" %[[T]],

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_left = 64>
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
