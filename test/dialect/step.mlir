// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// The bounds of the distance: 8 tiles. The usual one, 0, is not printed.
// CHECK: test.a = #fmha.step<qk>{{[,}]}}
// CHECK-SAME: test.b = #fmha.step<load_k ahead 2>{{[,}]}}
// CHECK-SAME: test.c = #fmha.step<exp[16 to 32 of 32] ahead -1>{{[,}]}}
// CHECK-SAME: test.d = #fmha.step<read_v[0 to 1 of 2] ahead -8>{{[,}]}}
// CHECK-SAME: test.e = #fmha.step<load_v ahead 8>{{[,}]}}
// CHECK-SAME: test.f = #fmha.step<row_max>{{[,}]}}
module attributes {test.a = #fmha.step<qk>,
                   test.b = #fmha.step<load_k ahead 2>,
                   test.c = #fmha.step<exp[16 to 32 of 32] ahead -1>,
                   test.d = #fmha.step<read_v[0 to 1 of 2] ahead -8>,
                   test.e = #fmha.step<load_v ahead 8>,
                   test.f = #fmha.step<row_max ahead 0>} {}
