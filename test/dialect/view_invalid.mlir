// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a view of at least 1 column, found 0}}
module attributes {test.t = !fmha.view<0, bf16>} {}

// -----

// expected-error @+1 {{expected a view of at least 1 column, found -8}}
module attributes {test.t = !fmha.view<-8, bf16>} {}

// -----

// expected-error @+1 {{expected view elements f32, i32, bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8), found 'i64'}}
module attributes {test.t = !fmha.view<32, i64>} {}
