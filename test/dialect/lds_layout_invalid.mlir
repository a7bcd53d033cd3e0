// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected positive byte masks, found 0}}
module attributes {test.l = #fmha.lds_layout<row = [0], col = [2], line_bytes = 4, bytes = 8, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected positive byte masks, found -2}}
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

// Row 1 on column 8, both 16 bytes on.
// expected-error @+1 {{expected each element at a byte of its own, found mask 16 to be the XOR of others}}
module attributes {test.l = #fmha.lds_layout<row = [16, 32], col = [2, 4, 8, 16], line_bytes = 32, bytes = 64, conflict_ways = 1>} {}

// -----

// 24 = 16 xor 8.
// expected-error @+1 {{expected each element at a byte of its own, found mask 24 to be the XOR of others}}
module attributes {test.l = #fmha.lds_layout<row = [8, 16], col = [2, 4, 16 xor 8], line_bytes = 32, bytes = 64, conflict_ways = 1>} {}

// -----

// Nobody lies in bytes 8 to 15.
// expected-error @+1 {{expected elements without gaps, found none whose byte begins with bit 8}}
module attributes {test.l = #fmha.lds_layout<row = [16], col = [2, 4], line_bytes = 8, bytes = 24, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected masks that are multiples of the smallest, 4, found 10}}
module attributes {test.l = #fmha.lds_layout<row = [8 xor 2], col = [4], line_bytes = 8, bytes = 24, conflict_ways = 1>} {}

// -----

// A line of 8 bytes would be torn.
// expected-error @+1 {{expected chunks of a power of two of bytes, of at least line_bytes = 8, found 4}}
module attributes {test.l = #fmha.lds_layout<row = [4, 8], col = [2], line_bytes = 8, chunk_bytes = 4, pad_bytes = 16, bytes = 64, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected chunks of a power of two of bytes, of at least line_bytes = 4, found 12}}
module attributes {test.l = #fmha.lds_layout<row = [4, 8], col = [2], line_bytes = 4, chunk_bytes = 12, pad_bytes = 16, bytes = 64, conflict_ways = 1>} {}

// -----

// Reads of 16 bytes after it would not be aligned.
// expected-error @+1 {{expected padding of a multiple of 16 bytes a chunk, of at most 65536, found 8}}
module attributes {test.l = #fmha.lds_layout<row = [4, 8], col = [2], line_bytes = 4, chunk_bytes = 8, pad_bytes = 8, bytes = 64, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected padding of a multiple of 16 bytes a chunk, of at most 65536, found 0}}
module attributes {test.l = #fmha.lds_layout<row = [4, 8], col = [2], line_bytes = 4, chunk_bytes = 8, pad_bytes = 0, bytes = 64, conflict_ways = 1>} {}

// -----

// 14 of the second chunk, 16 of padding before it: the last lies at 30.
// expected-error @+1 {{expected bytes above the last element's offset 30, found 30}}
module attributes {test.l = #fmha.lds_layout<row = [4, 8], col = [2], line_bytes = 4, chunk_bytes = 8, pad_bytes = 16, bytes = 30, conflict_ways = 1>} {}

// -----

// expected-error @+1 {{expected conflict_ways of at least 1, found 0}}
module attributes {test.l = #fmha.lds_layout<row = [4], col = [2], line_bytes = 4, bytes = 8, conflict_ways = 0>} {}

// -----

// 16384 bytes, 16 more after each of 15 chunks: a slot of 16384 is too small.
// expected-error @+1 {{expected bytes above the last element's offset 16623, found 16384}}
module attributes {test.l = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16384, conflict_ways = 1>} {}
