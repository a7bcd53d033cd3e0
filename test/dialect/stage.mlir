// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// s_setprio has two bits; s_nop four, of which 15 mean 16 slots.
// CHECK: test.a = #fmha.stage<@in memory [load_k ahead 2]>{{[,}]}}
// CHECK-SAME: test.b = #fmha.stage<@out compute [pv ahead -1, exp[0 to 1 of 2]] groups [6 x [mfma 1, trans 3], 2 x [mfma 1]] priority 3 nops 16 anchor>{{[,}]}}
// CHECK-SAME: test.c = #fmha.stage<@plain compute [qk]>{{[,}]}}
module attributes {test.a = #fmha.stage<@in memory [load_k ahead 2]>,
                   test.b = #fmha.stage<@out compute [pv ahead -1, exp[0 to 1 of 2]] groups [6 x [mfma 1, trans 3], 2 x [mfma 1]] priority 3 nops 16 anchor>,
                   test.c = #fmha.stage<@plain compute [qk] groups [] priority 0 nops 0>} {}
