// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-combine | FileCheck %s

// Parts that runs have left lie in steps of the rows of a tile, which an argument says, not of all heads. There is
// one set of records, also where rows have lengths.
// CHECK: fmha.combine @sum parts
// CHECK-NOT: workgroup.id.y
// CHECK: %[[STEP:.*]] = fmha.arg run_part_rows : i32
// CHECK: %[[STEP64:.*]] = arith.extui %[[STEP]] : i32 to i64
// CHECK: arith.muli %[[STEP64]], %{{.*}} : i64
// CHECK-NOT: workgroup.id.y
#runs = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = none, varlen_q = true, work = runs, parts = true>
fmha.combine @sum parts problem(#runs) lanes 16 waves 1 launch(#fmha.launch<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
