// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected tiles of a body in 1..8, found 0}}
module attributes {test.x = #fmha.pipeline<tiles = 0, tail = pad, stagger = 0, order = free, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>} {}

// -----

// expected-error @+1 {{expected tiles of a body in 1..8, found 9}}
module attributes {test.x = #fmha.pipeline<tiles = 9, tail = pad, stagger = 0, order = free, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>} {}

// -----

// expected-error @+1 {{expected stages of different names, found @a twice}}
module attributes {test.x = #fmha.pipeline<tiles = 2, tail = pad, stagger = 0, order = free, stages = [<@a memory [load_k]>, <@a compute [qk] open>]>} {}

// -----

// expected-error @+1 {{expected stagger in 0..2, the barriers of a body, found -1}}
module attributes {test.x = #fmha.pipeline<tiles = 2, tail = pad, stagger = -1, order = free, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>} {}

// -----

// Two stages, but the second has no barrier: one in each of two tiles.
// expected-error @+1 {{expected stagger in 0..2, the barriers of a body, found 3}}
module attributes {test.x = #fmha.pipeline<tiles = 2, tail = pad, stagger = 3, order = free, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>} {}

// -----

// expected-error @+2 {{expected ::mlir::fmha::Tail to be one of: pad, parity}}
// expected-error @+1 {{failed to parse}}
module attributes {test.x = #fmha.pipeline<tiles = 2, tail = mask, stagger = 0, order = free, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>} {}

// -----

// expected-error @+2 {{expected ::mlir::fmha::OrderPolicy to be one of: free, grouped, pinned}}
// expected-error @+1 {{failed to parse}}
module attributes {test.x = #fmha.pipeline<tiles = 2, tail = pad, stagger = 0, order = sorted, stages = [<@a memory [load_k]>, <@b compute [qk] open>]>} {}
