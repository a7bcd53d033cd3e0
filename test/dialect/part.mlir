// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.a = #fmha.part<14 to 16 of 16>{{[,}]}}
// CHECK-SAME: test.b = #fmha.part<0 to 1 of 1>{{[,}]}}
// CHECK-SAME: test.c = #fmha.part<4095 to 4096 of 4096>{{[,}]}}
module attributes {test.a = #fmha.part<14 to 16 of 16>,
                   test.b = #fmha.part<0 to 1 of 1>,
                   test.c = #fmha.part<4095 to 4096 of 4096>} {}
