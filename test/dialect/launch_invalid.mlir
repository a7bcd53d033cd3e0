// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected grid to have 3 sides, found 2}}
module attributes {test.l = #fmha.launch<grid = ["Sq", "Hq"], block = 64>} {}

// -----

// expected-error @+1 {{expected grid to be an expression like ceil(Sq / 256) of at most 127 bytes, found "rows", wrong from byte 0}}
module attributes {test.l = #fmha.launch<grid = ["Sq", "rows", "B"], block = 64>} {}

// -----

// expected-error @+1 {{expected grid to be an expression like ceil(Sq / 256) of at most 127 bytes, found "Sq <= 4", wrong from byte 3}}
module attributes {test.l = #fmha.launch<grid = ["Sq <= 4", "Hq", "B"], block = 64>} {}

// -----

// expected-error @+1 {{expected when to be a condition like Sk <= 256 of at most 127 bytes, found "Sk", wrong from byte 2}}
module attributes {test.l = #fmha.launch<grid = ["Sq", "Hq", "B"], block = 64, when = "Sk">} {}

// -----

// expected-error @+1 {{expected block to be positive, found 0}}
module attributes {test.l = #fmha.launch<grid = ["Sq", "Hq", "B"], block = 0>} {}
