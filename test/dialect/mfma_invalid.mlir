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
