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
