// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// A padded line: rows 1 and 2 lie 1040 and 2080 bytes on, with 1024 of payload.
// CHECK: #[[L:.*]] = #fmha.lds_layout<row = [1040, 2080, 256, 512], col = [2, 4, 8, 16, 32, 64, 128], line_bytes = 1024, bytes = 4160, conflict_ways = 2>
// CHECK: module attributes {test.l = #[[L]]}
module attributes {test.l = #fmha.lds_layout<row = [1040, 2080, 256, 512], col = [2, 4, 8, 16, 32, 64, 128],
                                        line_bytes = 1024, bytes = 4160, conflict_ways = 2>} {}
