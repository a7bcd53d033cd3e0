// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// One row has no row bits.
// CHECK: #[[L:.*]] = #fmha.lds_layout<row = [], col = [2, 4, 8, 16, 32],
// CHECK: !fmha.lds<1x32xbf16, 0, #[[L]]>
#l = #fmha.lds_layout<row = [], col = [2, 4, 8, 16, 32], line_bytes = 64, bytes = 64, conflict_ways = 1>
module attributes {test.t = !fmha.lds<1x32xbf16, 0, #l>} {}
