// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected tiles of a body in 1..8, found 0}}
module attributes {test.x = #fmha.pipeline<tiles = 0, stagger = 0, instructions = free, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}

// -----

// expected-error @+1 {{expected tiles of a body in 1..8, found 9}}
module attributes {test.x = #fmha.pipeline<tiles = 9, stagger = 0, instructions = free, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}

// -----

// expected-error @+1 {{expected stages of different names, found @a twice}}
module attributes {test.x = #fmha.pipeline<tiles = 2, stagger = 0, instructions = free, stages = [<@a memory [load_k]>, <@a compute [qk]>]>} {}

// -----

// expected-error @+1 {{expected stagger in 0..4, the barriers of a body, found -1}}
module attributes {test.x = #fmha.pipeline<tiles = 2, stagger = -1, instructions = free, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}

// -----

// Two stages in each of two tiles.
// expected-error @+1 {{expected stagger in 0..4, the barriers of a body, found 5}}
module attributes {test.x = #fmha.pipeline<tiles = 2, stagger = 5, instructions = free, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}

// -----

// expected-error @+2 {{expected one of [free, grouped, pinned] for who orders the instructions of a stage, got: sorted}}
// expected-error @+1 {{failed to parse}}
module attributes {test.x = #fmha.pipeline<tiles = 2, stagger = 0, instructions = sorted, stages = [<@a memory [load_k]>, <@b compute [qk]>]>} {}

// -----

// expected-error @+1 {{expected stages, found none}}
module attributes {test.x = #fmha.pipeline<stages = []>} {}

// -----

// expected-error @+1 {{struct is missing required parameter: stages}}
module attributes {test.x = #fmha.pipeline<tiles = 2>} {}
