// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-walk-work | FileCheck %s

// Words 4 and 5 of a record are the first key and the end of the keys. Word 1 is the row of
// the parts where the first head goes: the next goes rows of the item, words 3 - 2, further;
// -1 stays -1 for every head.
// CHECK-DAG: %[[PART:.*]] = vector.extract %{{.*}}[1] : i32 from vector<8xi32>
// CHECK-DAG: %[[ROW:.*]] = vector.extract %{{.*}}[2] : i32 from vector<8xi32>
// CHECK-DAG: %[[ROW_END:.*]] = vector.extract %{{.*}}[3] : i32 from vector<8xi32>
// CHECK-DAG: %[[KEY:.*]] = vector.extract %{{.*}}[4] : i32 from vector<8xi32>
// CHECK-DAG: %[[KEY_END:.*]] = vector.extract %{{.*}}[5] : i32 from vector<8xi32>
// CHECK: scf.while (%[[HEAD:.*]] = %[[H0:.*]]) : (i32) -> i32 {
// CHECK: %[[OWN_KEY:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[KEY]]
// CHECK: %[[OWN_END:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[KEY_END]]
// CHECK-DAG: %[[ROWS:.*]] = arith.subi %[[ROW_END]], %[[ROW]] : i32
// CHECK-DAG: %[[NTH:.*]] = arith.subi %[[HEAD]], %[[H0]] : i32
// CHECK: %[[BEFORE:.*]] = arith.muli %[[NTH]], %[[ROWS]] : i32
// CHECK: %[[AT:.*]] = arith.addi %[[PART]], %[[BEFORE]] : i32
// CHECK: %[[NONE:.*]] = arith.constant -1 : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[PART]], %[[NONE]] : i32
// CHECK: %[[OWN:.*]] = arith.select %[[WHOLE]], %[[NONE]], %[[AT]] : i32
// CHECK: %[[OWN_PART:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[OWN]]
// CHECK: llvm.inline_asm has_side_effects "", "s,s,s" %[[OWN_KEY]], %[[OWN_END]], %[[OWN_PART]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, work = list, parts = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.work list (%row, %head, %batch, %key, %key_end, %part) {
    llvm.inline_asm has_side_effects "", "s,s,s" %key, %key_end, %part : (i32, i32, i32) -> ()
  }
}
