// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a part with 0 <= first < last <= of, found -1 to 1 of 2}}
module attributes {test.x = #fmha.part<-1 to 1 of 2>} {}

// -----

// A part of nothing.
// expected-error @+1 {{expected a part with 0 <= first < last <= of, found 1 to 1 of 2}}
module attributes {test.x = #fmha.part<1 to 1 of 2>} {}

// -----

// expected-error @+1 {{expected a part with 0 <= first < last <= of, found 2 to 1 of 2}}
module attributes {test.x = #fmha.part<2 to 1 of 2>} {}

// -----

// expected-error @+1 {{expected a part with 0 <= first < last <= of, found 0 to 3 of 2}}
module attributes {test.x = #fmha.part<0 to 3 of 2>} {}

// -----

// No kernel has more of anything, and indices are computed as products.
// expected-error @+1 {{expected a part of at most 4096 things, found 0 to 4611686018427387904 of 9223372036854775807}}
module attributes {test.x = #fmha.part<0 to 4611686018427387904 of 9223372036854775807>} {}

// -----

// expected-error @+1 {{expected a part of at most 4096 things, found 4096 to 4097 of 4097}}
module attributes {test.x = #fmha.part<4096 to 4097 of 4097>} {}
