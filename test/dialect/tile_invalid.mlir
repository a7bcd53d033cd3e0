// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a tile of 1 or 2 dimensions, found 0}}
module attributes {test.t = !fmha.tile<f32>} {}

// -----

// expected-error @+1 {{expected a tile of 1 or 2 dimensions, found 3}}
module attributes {test.t = !fmha.tile<2x2x2xf32>} {}

// -----

// expected-error @+1 {{expected tile dimensions to be powers of two, found 96}}
module attributes {test.t = !fmha.tile<128x96xf32>} {}

// -----

// expected-error @+1 {{expected tile elements f32, i32, bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8), found 'f64'}}
module attributes {test.t = !fmha.tile<128x64xf64>} {}

// -----

// expected-error @+1 {{expected tile elements f32, i32, bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8), found 'i16'}}
module attributes {test.t = !fmha.tile<128xi16>} {}

// -----

#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
// expected-error @+1 {{expected a lane layout of rank 2, found rank 1}}
module attributes {test.t = !fmha.tile<32x32xf32, #rows>} {}

// -----

// Rows 1, 2, 4, 8, 16 are there: 31 of the 63 that 64 rows need.
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
// expected-error @+1 {{expected the lane layout to cover indices 0..63 of dimension 0, found index bits 31 of 63}}
module attributes {test.t = !fmha.tile<64xf32, #rows>} {}

// -----

// A layout of more rows than the tile has: 1 + 2 + 4 + 8 + 16 + 32 = 63.
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
// expected-error @+1 {{expected the lane layout to cover indices 0..31 of dimension 0, found index bits 63 of 31}}
module attributes {test.t = !fmha.tile<32xf32, #rows>} {}

// -----

// Column bit 4 is missing: 1 + 2 + 8 + 16 = 27 of 31.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 0]], wave = []>
// expected-error @+1 {{expected the lane layout to cover indices 0..31 of dimension 1, found index bits 27 of 31}}
module attributes {test.t = !fmha.tile<32x32xf32, #s>} {}

// -----

// Column 4 by register and by lane bit 5: both bits set would be column 8, which
// another register bit means.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// expected-error @+1 {{expected the lane layout to cover indices 0..31 of dimension 1, each bit once, found offset 4 twice}}
module attributes {test.t = !fmha.tile<32x32xf32, #s>} {}

// -----

// A tile's offsets add up; a basis of two bits is for copies into swizzled LDS.
#rows = #fmha.lane_layout<fragment = 1, reg = [[3]], lane = [[4], [8], [16], [32], [0], [0]], wave = []>
// expected-error @+1 {{expected basis coordinates of a tile to be 0 or a power of two, found 3}}
module attributes {test.t = !fmha.tile<64xf32, #rows>} {}

// -----

#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [0], [0], [8], [16], [0]], wave = [[6]]>
// expected-error @+1 {{expected basis coordinates of a tile to be 0 or a power of two, found 6}}
module attributes {test.t = !fmha.tile<32xf32, #rows>} {}
