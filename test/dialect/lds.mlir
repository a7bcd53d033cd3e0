// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

#l = #fmha.lds_layout<row = [64, 128], col = [2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
#b = #fmha.lds_layout<row = [64, 128], col = [1, 2, 4, 8, 16, 32], line_bytes = 256, bytes = 256, conflict_ways = 1>
// CHECK-DAG: #[[L:.*]] = #fmha.lds_layout<row = [64, 128], col = [2,
// CHECK-DAG: #[[B:.*]] = #fmha.lds_layout<row = [64, 128], col = [1,
// CHECK: module attributes {test.t0 = !fmha.lds<4x32xbf16, 0, #[[L]]>, test.t1 = !fmha.lds<4x32xf16, 1040, #[[L]]>, test.t2 = !fmha.lds<4x64xf8E4M3FN, 0, #[[B]]>, test.t3 = !fmha.lds<4x64xf8E5M2, 0, #[[B]]>}
module attributes {test.t0 = !fmha.lds<4x32xbf16, 0, #l>, test.t1 = !fmha.lds<4x32xf16, 1040, #l>, test.t2 = !fmha.lds<4x64xf8E4M3FN, 0, #b>, test.t3 = !fmha.lds<4x64xf8E5M2, 0, #b>} {}
