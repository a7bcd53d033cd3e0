// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -verify-diagnostics

// Both register bits move by 16 rows: register 3 would be row 16 + 16 = 32 of 32.
#rows = #fmha.lane_layout<fragment = 1, reg = [[16], [16]], lane = [[1], [2], [4], [8], [0], [0]], wave = []>
// expected-error @+1 {{expected the lane layout to cover indices 0..31 of dimension 0, each bit once, found offset 16 twice}}
module attributes {test.t = !fmha.tile<32xf32, #rows>} {}
