// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.a = #fmha.sched_group<6 x [mfma 1, trans 3]>{{[,}]}}
// CHECK-SAME: test.b = #fmha.sched_group<[valu 5, ds_read 2, vmem 1, salu 4]>{{[,}]}}
// CHECK-SAME: test.c = #fmha.sched_group<1024 x [mfma 1, trans 3]>{{[,}]}}
module attributes {test.a = #fmha.sched_group<6 x [mfma 1, trans 3]>,
                   test.b = #fmha.sched_group<[valu 5, ds_read 2, vmem 1, salu 4]>,
                   test.c = #fmha.sched_group<1024 x [mfma 1, trans 3]>} {}
