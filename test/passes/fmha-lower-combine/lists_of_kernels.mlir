// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-combine | FileCheck %s

// Where rows have lengths a batch may be divided between kernels of attention: workgroup (x, y) walks the list
// of kernel y, whose count and records lie so many strides further.
// CHECK: fmha.combine @packed parts
// CHECK: %[[Y:.*]] = rocdl.workgroup.id.y : i32
// CHECK: %[[COUNTS:.*]] = fmha.arg combine_count : i64
// CHECK: %[[Y64:.*]] = arith.extui %[[Y]] : i32 to i64
// CHECK: %[[STRIDE:.*]] = fmha.arg list_set_stride : i64
// CHECK: %[[AT:.*]] = arith.muli %[[Y64]], %[[STRIDE]] : i64
// CHECK: arith.addi %[[COUNTS]], %[[AT]] : i64
// CHECK: rocdl.workgroup.id.y
// CHECK: %[[RECORDS:.*]] = fmha.arg combine_items : i64
// CHECK: arith.addi %[[RECORDS]], %{{.*}} : i64
#packed = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = none, varlen_q = true>
fmha.combine @packed parts problem(#packed) lanes 16 waves 1 launch(#fmha.launch<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
// CHECK: fmha.combine @padded parts
// CHECK: fmha.arg list_set_stride
#padded = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = none, lengths_q = true>
fmha.combine @padded parts problem(#padded) lanes 16 waves 1 launch(#fmha.launch<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
// Lengths of keys divide nothing.
// CHECK: fmha.combine @keys parts
// CHECK-NOT: workgroup.id.y
#keys = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 128, head_dim_v = 128, mask = none, lengths_kv = true>
fmha.combine @keys parts problem(#keys) lanes 16 waves 1 launch(#fmha.launch<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
