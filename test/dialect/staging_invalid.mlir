// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected max_pad_bytes to be a multiple of 16 in 0..1024, found -16}}
module attributes {test.k = #fmha.staging<read = row, max_pad_bytes = -16>} {}

// -----

// expected-error @+1 {{expected max_pad_bytes to be a multiple of 16 in 0..1024, found 24}}
module attributes {test.k = #fmha.staging<read = row, max_pad_bytes = 24>} {}

// -----

// expected-error @+1 {{expected max_pad_bytes to be a multiple of 16 in 0..1024, found 1040}}
module attributes {test.k = #fmha.staging<read = row, max_pad_bytes = 1040>} {}

// -----

// expected-error @+2 {{expected ::mlir::fmha::LdsRead to be one of: row, column}}
// expected-error @+1 {{failed to parse}}
module attributes {test.k = #fmha.staging<read = b64, max_pad_bytes = 0>} {}

// -----

// expected-error @+1 {{expected buffers in 1..8, found 0}}
module attributes {test.x = #fmha.staging<read = row, max_pad_bytes = 0, buffers = 0>} {}

// -----

// expected-error @+1 {{expected buffers in 1..8, found 9}}
module attributes {test.x = #fmha.staging<read = row, max_pad_bytes = 0, buffers = 9>} {}

// -----

// expected-error @+1 {{expected max_pad_bytes of at least 16 with layout padded, found 0}}
module attributes {test.x = #fmha.staging<read = row, max_pad_bytes = 0, layout = padded>} {}

// -----

// expected-error @+2 {{expected one of [any, padded, xor, permuted, identity] for kinds of LDS layouts, got: swizzled}}
// expected-error @+1 {{failed to parse}}
module attributes {test.x = #fmha.staging<read = row, max_pad_bytes = 0, layout = swizzled>} {}

// -----

// expected-error @+1 {{expected layout or map, found layout padded and a map}}
module attributes {test.x = #fmha.staging<read = row, max_pad_bytes = 64, layout = padded, map = <row = [64], col = [2, 4, 8, 16, 32]>>} {}

// -----

// expected-error @+1 {{expected masks of rows or columns, found none}}
module attributes {test.x = #fmha.lds_map<row = [], col = []>} {}

// -----

// Two rows at one byte; a byte that no element has.
// expected-error @+1 {{expected each element at a byte of its own, found mask 64 to be the XOR of others}}
module attributes {test.x = #fmha.lds_map<row = [64, 64], col = [2, 4, 8, 16, 32]>} {}

// -----

// expected-error @+1 {{expected elements without gaps, found none whose byte begins with bit 64}}
module attributes {test.x = #fmha.lds_map<row = [128], col = [2, 4, 8, 16, 32]>} {}

// -----

// expected-error @+1 {{expected padding of a multiple of 16 bytes a chunk, of at most 65536, found 8}}
module attributes {test.x = #fmha.lds_map<row = [64], col = [2, 4, 8, 16, 32], chunk_bytes = 1024, pad_bytes = 8>} {}

// -----

// expected-error @+1 {{expected chunks of a power of two of bytes, of at least an access = 16, found 8}}
module attributes {test.x = #fmha.lds_map<row = [64], col = [2, 4, 8, 16, 32], chunk_bytes = 8, pad_bytes = 16>} {}

// -----

// expected-error @+1 {{expected at most 16 masks of rows and of columns, found 17 and 0}}
module attributes {test.x = #fmha.lds_map<row = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072], col = []>} {}

// -----

// expected-error @+1 {{expected padding of a multiple of 16 bytes a chunk, of at most 65536, found 9223372036854775792}}
module attributes {test.x = #fmha.lds_map<row = [64], col = [2, 4, 8, 16, 32], chunk_bytes = 1024, pad_bytes = 9223372036854775792>} {}
