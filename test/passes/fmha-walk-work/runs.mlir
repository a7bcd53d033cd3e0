// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-walk-work | FileCheck %s

// Nothing is listed: the kernel finds its first item, and after an item the next one, of which it gives back
// batch, row and head and what is known of the run, words 6 and on (lib/abi/work_find.h). Batch below 0: there is
// none. Words 3 to 5 are the first key, the end of the keys and the row of the parts. All come to scalar registers,
// wherever LLVM has them.
// CHECK: %[[FIRST:.*]]:14 = fmha.find_item :
// CHECK: %[[B0:.*]] = rocdl.readfirstlane %[[FIRST]]#0
// CHECK-COUNT-13: rocdl.readfirstlane
// CHECK: %[[IS:.*]] = arith.cmpi sge, %[[B0]], %{{.*}} : i32
// CHECK: scf.if %[[IS]] {
// CHECK: scf.while (%[[BATCH:[^ ]*]] = %[[B0]], %[[ROW:[^ ]*]] = %{{[^ ]*}}, %[[HEAD:[^ ]*]] = %{{[^ ]*}}, %[[KEY:[^ ]*]] = %{{[^ ]*}}, %[[END:[^ ]*]] = %{{[^ ]*}}, %[[PART:[^ ]*]] = %{{[^ ]*}}, %[[UNIT:[^ ]*]] = %{{[^ ]*}},
// CHECK: %[[OWN_HEAD:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[HEAD]]
// CHECK: %[[OWN_ROW:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[ROW]]
// CHECK: %[[OWN_BATCH:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[BATCH]]
// CHECK: %[[OWN_KEY:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[KEY]]
// CHECK: %[[OWN_END:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[END]]
// CHECK: %[[OWN_PART:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[PART]]
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s,s,s,s" %[[OWN_ROW]], %[[OWN_HEAD]], %[[OWN_BATCH]], %[[OWN_KEY]], %[[OWN_END]], %[[OWN_PART]]
// Of an item that is a part the workgroup finds how many there are and which it has, and combines them if it is the
// last: after its stores, before the next item.
// CHECK: %[[IS_PART:.*]] = arith.cmpi ne, %{{[^ ]*}},
// CHECK: scf.if %[[IS_PART]] {
// CHECK: %[[PARTS:.*]]:5 = fmha.find_parts of %[[BATCH]], %[[ROW]], %[[HEAD]], %[[UNIT]],
// CHECK: %[[COUNT:.*]] = rocdl.readfirstlane %[[PARTS]]#0
// CHECK: %[[OWN:.*]] = rocdl.readfirstlane %[[PARTS]]#1
// CHECK: %[[TILE:.*]] = rocdl.readfirstlane %[[PARTS]]#2
// CHECK: %[[ROWS:.*]] = rocdl.readfirstlane %[[PARTS]]#3
// CHECK: %[[LATER:.*]] = rocdl.readfirstlane %[[PARTS]]#4
// CHECK: fmha.join_parts %[[OWN]] of %[[COUNT]] in %[[TILE]] rows %[[ROWS]] of(%[[ROW]], %[[HEAD]], %[[BATCH]]) later %[[LATER]] wave
// CHECK: %[[NEXT:.*]]:14 = fmha.find_item after %[[BATCH]], %[[ROW]], %[[HEAD]], %[[UNIT]],
// CHECK: %[[B1:.*]] = rocdl.readfirstlane %[[NEXT]]#0
// CHECK: %[[MORE:.*]] = arith.cmpi sge, %[[B1]], %{{.*}} : i32
// CHECK: scf.condition(%[[MORE]])
// CHECK-NOT: work_items
// CHECK-NOT: fmha.work

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = runs, parts = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.work runs (%row, %head, %batch, %key, %key_end, %part) {
    llvm.inline_asm has_side_effects "", "s,s,s,s,s,s" %row, %head, %batch, %key, %key_end, %part : (i32, i32, i32, i32, i32, i32) -> ()
  }
}
