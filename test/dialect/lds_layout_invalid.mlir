// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected positive byte weights, found 0}}
module attributes {test.l = #fmha.lds_layout<row = [0], col = [2], line_bytes = 4, bytes = 8, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected positive byte weights, found -2}}
module attributes {test.l = #fmha.lds_layout<row = [4], col = [-2], line_bytes = 4, bytes = 8, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected line_bytes to be a power of two, found 1040}}
module attributes {test.l = #fmha.lds_layout<row = [4], col = [2], line_bytes = 1040, bytes = 8, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected line_bytes to be a power of two, found 0}}
module attributes {test.l = #fmha.lds_layout<row = [4], col = [2], line_bytes = 0, bytes = 8, conflict_ways = 1>} {}

// -----

// The last element lies at 4 + 8 + 2 = 14.
// expected-error @+1 {{expected bytes above the last element's offset 14, found 14}}
module attributes {test.l = #fmha.lds_layout<row = [4, 8], col = [2], line_bytes = 4, bytes = 14, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected conflict_ways of at least 1, found 0}}
module attributes {test.l = #fmha.lds_layout<row = [4], col = [2], line_bytes = 4, bytes = 8, conflict_ways = 0>} {}
