// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-line-tables -mlir-print-debuginfo 2> %t.stderr | FileCheck %s
// RUN: FileCheck %s --check-prefix REMARK < %t.stderr
// RUN: %fmhac-opt %s -fmha-line-tables -mlir-print-debuginfo 2> %t.stderr | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix LLVM

// Steps are inlined calls; the function's own lines are not. Of a fused location the
// step stays. What has no line gets the function's, and is counted; constants are not.

// REMARK: remark: line tables: 1 ops come from no line of "k.synced.mlir"; the first is 'llvm.xor'
// CHECK-DAG: [[FILE:#.+]] = #llvm.di_file<"k.synced.mlir" in "">
// CHECK-DAG: [[UNIT:#.+]] = #llvm.di_compile_unit<{{.*}}producer = "fmhac"{{.*}}emissionKind = LineTablesOnly
// CHECK-DAG: [[OWN:#.+]] = #llvm.di_subprogram<{{.*}}compileUnit = [[UNIT]]{{.*}}name = "k", file = [[FILE]], line = 3
// CHECK-DAG: [[PV:#.+]] = #llvm.di_subprogram<{{.*}}name = "pv", file = [[FILE]], line = 8
// CHECK-DAG: [[LINE:#loc.*]] = loc("k.synced.mlir":8:0)
// CHECK-DAG: fused<[[OWN]]>
// CHECK-DAG: [[INLINED:#loc.*]] = loc(fused<[[PV]]>{{\[}}[[LINE]]])
// CHECK-DAG: callsite([[INLINED]] at [[LINE]])
llvm.func @k(%a: i32) -> i32 {
  %c = llvm.mlir.constant(7 : i32) : i32 loc(unknown)
  %0 = llvm.add %a, %c : i32 loc("k.synced.mlir":5:0)
  %1 = llvm.mul %0, %a : i32 loc(callsite("pv"("k.synced.mlir":8:0) at "k.synced.mlir":8:0))
  %2 = llvm.sub %1, %a : i32 loc(fused["k.synced.mlir":5:0, callsite("pv"("k.synced.mlir":8:0) at "k.synced.mlir":8:0)])
  %3 = llvm.xor %2, %a : i32 loc(unknown)
  // A line of a region of a step.
  %4 = llvm.or %3, %a : i32 loc(callsite("score_mod"("k.synced.mlir":11:0) at "k.synced.mlir":10:0))
  llvm.return %4 : i32 loc("k.synced.mlir":3:0)
} loc("k.synced.mlir":3:0)

// LLVM: add i32 {{.*}} !dbg [[ADD:![0-9]+]]
// LLVM: mul i32 {{.*}} !dbg [[MUL:![0-9]+]]
// LLVM: sub i32 {{.*}} !dbg [[MUL]]
// LLVM: xor i32 {{.*}} !dbg [[XOR:![0-9]+]]
// LLVM: or i32 {{.*}} !dbg [[OR:![0-9]+]]
// LLVM-DAG: [[K:![0-9]+]] = distinct !DISubprogram(name: "k"
// LLVM-DAG: [[ADD]] = !DILocation(line: 5, scope: [[K]])
// LLVM-DAG: [[MUL]] = !DILocation(line: 8, scope: [[PVS:![0-9]+]], inlinedAt: [[AT:![0-9]+]])
// LLVM-DAG: [[PVS]] = distinct !DISubprogram(name: "pv"
// LLVM-DAG: [[AT]] = !DILocation(line: 8, scope: [[K]])
// LLVM-DAG: [[XOR]] = !DILocation(line: 3, scope: [[K]])
// LLVM-DAG: [[OR]] = !DILocation(line: 11, scope: [[MOD:![0-9]+]], inlinedAt: [[CALL:![0-9]+]])
// LLVM-DAG: [[MOD]] = distinct !DISubprogram(name: "score_mod"
// LLVM-DAG: [[CALL]] = !DILocation(line: 10, scope: [[K]])
