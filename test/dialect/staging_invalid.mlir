// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected max_pad_bytes to be a multiple of 16 in 0..1024, found -16}}
module attributes {test.k = #fmha.staging<read = b128, max_pad_bytes = -16>} {}

// -----

// expected-error @+1 {{expected max_pad_bytes to be a multiple of 16 in 0..1024, found 24}}
module attributes {test.k = #fmha.staging<read = b128, max_pad_bytes = 24>} {}

// -----

// expected-error @+1 {{expected max_pad_bytes to be a multiple of 16 in 0..1024, found 1040}}
module attributes {test.k = #fmha.staging<read = b128, max_pad_bytes = 1040>} {}

// -----

// expected-error @+2 {{expected ::mlir::fmha::LdsRead to be one of: b128, tr_b16}}
// expected-error @+1 {{failed to parse}}
module attributes {test.k = #fmha.staging<read = b64, max_pad_bytes = 0>} {}

// -----

// expected-error @+1 {{expected buffers in 1..8, found 0}}
module attributes {test.x = #fmha.staging<read = b128, max_pad_bytes = 0, buffers = 0>} {}

// -----

// expected-error @+1 {{expected buffers in 1..8, found 9}}
module attributes {test.x = #fmha.staging<read = b128, max_pad_bytes = 0, buffers = 9>} {}

// -----

// expected-error @+1 {{expected max_pad_bytes of at least 16 with layout padded, found 0}}
module attributes {test.x = #fmha.staging<read = b128, max_pad_bytes = 0, layout = padded>} {}

// -----

// expected-error @+2 {{expected one of [any, padded, xor, permuted, identity] for kinds of LDS layouts, got: swizzled}}
// expected-error @+1 {{failed to parse}}
module attributes {test.x = #fmha.staging<read = b128, max_pad_bytes = 0, layout = swizzled>} {}
