// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// The first item, and each after it, and the parts of its unit, is a call of a function of the kernel's own, which is linked later. It leaves
// the words in a private array, one for each call, made where the kernel begins.
// CHECK-DAG: llvm.func @k_first_item(!llvm.ptr<5>)
// CHECK-DAG: llvm.func @k_next_item(!llvm.ptr<5>, i32, i32)
// CHECK-DAG: llvm.func @k_parts_of_item(!llvm.ptr<5>, i32, i32)
// CHECK: llvm.func @k(
// CHECK: llvm.alloca %{{.*}} x !llvm.array<4 x i32>
// CHECK-COUNT-3: llvm.alloca %{{.*}} x !llvm.array<3 x i32>
// CHECK-NOT: llvm.alloca
// CHECK: llvm.call @k_first_item(%[[TO:.*]]) : (!llvm.ptr<5>) -> ()
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[TO]][0]
// CHECK: %[[BATCH:.*]] = llvm.load %[[AT]]
// CHECK: %[[ROW:.*]] = llvm.load
// CHECK: llvm.call @k_next_item(%{{.*}}, %[[BATCH]], %[[ROW]]) : (!llvm.ptr<5>, i32, i32) -> ()
// CHECK: llvm.call @k_next_item(
// CHECK: llvm.call @k_parts_of_item(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr<5>, i32, i32) -> ()

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, work = runs>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %0:3 = fmha.find_item : i32, i32, i32
  %1:3 = fmha.find_item after %0#0, %0#1 : i32, i32, i32
  %2:3 = fmha.find_item after %1#0, %1#1 : i32, i32, i32
  %3:4 = fmha.find_parts of %2#0, %2#1 : i32, i32, i32, i32
  llvm.inline_asm has_side_effects "", "s" %3#0 : (i32) -> ()
  llvm.inline_asm has_side_effects "", "s" %2#2 : (i32) -> ()
}
