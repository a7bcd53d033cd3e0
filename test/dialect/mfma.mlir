// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.a = #fmha.mfma<m = 32, n = 32, k = 16>{{[,}]}}
// CHECK-SAME: test.b = #fmha.mfma<m = 16, n = 16, k = 32>{{[,}]}}
module attributes {test.a = #fmha.mfma<m = 32, n = 32, k = 16>,
                   test.b = #fmha.mfma<m = 16, n = 16, k = 32>} {}
