// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// Layouts print as aliases, and one layout prints once.
// CHECK-DAG: #[[ROWS:.*]] = #fmha.lane_layout<fragment = 1, reg = [], lane = {{\[\[}}1], [2], [4], [8], [16], [0]], wave = []>
// CHECK-DAG: #[[S:.*]] = #fmha.lane_layout<fragment = 16, reg = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = {{\[\[}}32, 0], [64, 0]]>
// CHECK: module attributes {test.again = #[[S]], test.rows = #[[ROWS]], test.s = #[[S]]}
module attributes {
  test.rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>,
  test.s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
        lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0]]>,
  test.again = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
        lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0]]>
} {}
