// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected an LDS buffer of 2 dimensions, found 1}}
module attributes {test.t = !fmha.lds<32xbf16, 0, #l>} {}

// -----

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected an LDS offset that is a multiple of 16 bytes, found 8}}
module attributes {test.t = !fmha.lds<4x32xbf16, 8, #l>} {}

// -----

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected an LDS offset that is a multiple of 16 bytes, found -16}}
module attributes {test.t = !fmha.lds<4x32xbf16, -16, #l>} {}

// -----

// 8 rows are 3 bits, 64 columns are 6.
#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected masks for 3 row bits and 6 column bits, found 2 and 5}}
module attributes {test.t = !fmha.lds<8x64xbf16, 0, #l>} {}

// -----

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected LDS buffer dimensions to be powers of two, found 3}}
module attributes {test.t = !fmha.lds<3x32xbf16, 0, #l>} {}

// -----

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected LDS buffer dimensions to be powers of two, found 24}}
module attributes {test.t = !fmha.lds<4x24xbf16, 0, #l>} {}

// -----

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// expected-error @+1 {{expected LDS buffer elements bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8), found 'f32'}}
module attributes {test.t = !fmha.lds<4x32xf32, 0, #l>} {}

// -----

// Elements of 4 bytes.
#l = #fmha.lds_layout<row = [128, 256], col = [4, 8, 16, 32, 64], line_bytes = 256, bytes = 512, conflict_ways = 1>
// expected-error @+1 {{expected masks that are multiples of the 2 bytes of an element and one that is not of twice as many, found bits 508}}
module attributes {test.t = !fmha.lds<4x32xbf16, 0, #l>} {}
