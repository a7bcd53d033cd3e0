// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected 2 coordinates in a basis, found 3}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [[0, 1], [0, 2, 0]], lane = [], wave = []>} {}

// -----

// The rank that the registers set holds for lanes and waves as well.
// expected-error @+1 {{expected 2 coordinates in a basis, found 1}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [[0, 1]], lane = [[1]], wave = []>} {}

// -----

// expected-error @+1 {{expected bases of 1 or 2 coordinates, found 0}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [], lane = [], wave = []>} {}

// -----

// expected-error @+1 {{expected bases of 1 or 2 coordinates, found 3}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [[0, 0, 1]], lane = [], wave = []>} {}

// -----

// A wave has 64 lanes: 6 bits.
// expected-error @+1 {{expected 6 lane bases, found 5}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16]], wave = []>} {}

// -----

// expected-error @+1 {{expected 6 lane bases, found 7}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0], [0]], wave = []>} {}

// -----

// Two register bits: 4 elements a lane.
// expected-error @+1 {{expected fragment to be a power of two in 1..4, found 8}}
module attributes {test.l = #fmha.lane_layout<fragment = 8, reg = [[64], [128]], lane = [[1], [2], [4], [8], [16], [32]], wave = []>} {}

// -----

// expected-error @+1 {{expected fragment to be a power of two in 1..4, found 3}}
module attributes {test.l = #fmha.lane_layout<fragment = 3, reg = [[64], [128]], lane = [[1], [2], [4], [8], [16], [32]], wave = []>} {}

// -----

// expected-error @+1 {{expected fragment to be a power of two in 1..4, found 0}}
module attributes {test.l = #fmha.lane_layout<fragment = 0, reg = [[64], [128]], lane = [[1], [2], [4], [8], [16], [32]], wave = []>} {}

// -----

// expected-error @+1 {{expected basis coordinates of at least 0, found -1}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [], lane = [[-1], [2], [4], [8], [16], [32]], wave = []>} {}

// -----

// Nothing has as many elements: what goes through them one by one would not end.
// expected-error @+1 {{expected at most 16 register bases, found 17}}
module attributes {test.l = #fmha.lane_layout<fragment = 1, reg = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]], lane = [[1], [2], [4], [8], [16], [32]], wave = []>} {}
