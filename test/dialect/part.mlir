// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.a = #fmha.part<14 to 16 of 16>{{[,}]}}
// CHECK-SAME: test.b = #fmha.part<0 to 1 of 1>{{[,}]}}
module attributes {test.a = #fmha.part<14 to 16 of 16>,
                   test.b = #fmha.part<0 to 1 of 1>} {}
