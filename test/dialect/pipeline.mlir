// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// The largest stagger is all barriers of a body: one for each stage in each of its tiles.
// Keys come in any order; those at their default are not printed.
// CHECK: test.a = #fmha.pipeline<stages = [<@a memory [load_k]>]>{{[,}]}}
// CHECK-SAME: test.b = #fmha.pipeline<tiles = 8, stagger = 16, instructions = grouped, stages = [<@a memory [load_k]>, <@b compute [qk]>]>{{[,}]}}
// CHECK-SAME: test.c = #fmha.pipeline<tiles = 2, stagger = 4, instructions = pinned, stages = [<@a memory [load_k]>, <@b compute [qk]>]>{{[,}]}}
module attributes {test.a = #fmha.pipeline<stages = [<@a memory [load_k]>], instructions = free, stagger = 0, tiles = 1>,
                   test.b = #fmha.pipeline<tiles = 8, stagger = 16, instructions = grouped, stages = [<@a memory [load_k]>, <@b compute [qk]>]>,
                   test.c = #fmha.pipeline<tiles = 2, stagger = 4, instructions = pinned, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}
