// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected m, n and k to be powers of two, found m = 0, n = 32, k = 16}}
module attributes {test.shape = #fmha.mfma<m = 0, n = 32, k = 16>} {}

// -----

// expected-error @+1 {{expected m, n and k to be powers of two, found m = 32, n = 24, k = 16}}
module attributes {test.shape = #fmha.mfma<m = 32, n = 24, k = 16>} {}

// -----

// expected-error @+1 {{expected m, n and k to be powers of two, found m = 32, n = 32, k = -16}}
module attributes {test.shape = #fmha.mfma<m = 32, n = 32, k = -16>} {}

// -----

// Products of them have to be numbers.
// expected-error @+1 {{expected m, n and k of at most 65536, found 4611686018427387904}}
module attributes {test.shape = #fmha.mfma<m = 32, n = 4611686018427387904, k = 16>} {}
