// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// CHECK: #[[L:.*]] = #fmha.lds_layout<
// CHECK: module attributes {test.t0 = !fmha.lds<4x32xbf16, 0, #[[L]]>, test.t1 = !fmha.lds<4x32xf16, 1040, #[[L]]>}
module attributes {test.t0 = !fmha.lds<4x32xbf16, 0, #l>, test.t1 = !fmha.lds<4x32xf16, 1040, #l>} {}
