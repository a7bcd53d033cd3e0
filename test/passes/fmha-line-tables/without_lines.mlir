// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-line-tables -mlir-print-debuginfo 2>&1 | FileCheck %s

// A function without a line is left alone.
// CHECK-NOT: remark
// CHECK-NOT: di_
llvm.func @k(%a: i32) -> i32 {
  llvm.return %a : i32 loc(unknown)
} loc(unknown)
