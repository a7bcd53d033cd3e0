// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// The most that a half may be behind: all barriers of a body, one for each stage
// that is not open, in each of its tiles.
// CHECK: test.a = #fmha.pipeline<tiles = 1, tail = pad, stagger = 0, order = free, stages = [<@a memory [load_k]>]>{{[,}]}}
// CHECK-SAME: test.b = #fmha.pipeline<tiles = 8, tail = parity, stagger = 8, order = grouped, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>{{[,}]}}
// CHECK-SAME: test.c = #fmha.pipeline<tiles = 2, tail = pad, stagger = 4, order = pinned, stages = [<@a memory [load_k]>, <@b compute [qk]>]>{{[,}]}}
module attributes {test.a = #fmha.pipeline<tiles = 1, tail = pad, stagger = 0, order = free, stages = [<@a memory [load_k]>]>,
                   test.b = #fmha.pipeline<tiles = 8, tail = parity, stagger = 8, order = grouped, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>,
                   test.c = #fmha.pipeline<tiles = 2, tail = pad, stagger = 4, order = pinned, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}
