// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// The families as they print. What is exclusive-ored stands after the highest bit,
// however it was written; what is the usual is not printed.
// CHECK-DAG: #[[ID:.*]] = #fmha.lds_layout<row = [64, 128, 256, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 512, 1024], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// CHECK-DAG: #[[XOR:.*]] = #fmha.lds_layout<row = [64, 128, 256, 512 xor 32, 1024 xor 16, 8192], col = [2, 4, 8, 16, 32, 2048, 4096], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// CHECK-DAG: #[[PAD:.*]] = #fmha.lds_layout<row = [1024, 2048, 256, 512], col = [2, 4, 8, 16, 32, 64, 128], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 4160, conflict_ways = 2>
// CHECK-DAG: #[[PERM:.*]] = #fmha.lds_layout<row = [128 xor 32 xor 16, 256], col = [2, 4, 8, 16, 32, 64], line_bytes = 256, chunk_bytes = 256, pad_bytes = 32, bytes = 576, conflict_ways = 1>
// Of 8-bit elements, 128 keys x 128: keys 1 and 2 have changed places among the chunks, 1024 +
// 16 bytes each, 16 of them; the last byte is 16383 + 15 * 16 = 16623.
// CHECK-DAG: #[[FP8:.*]] = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16624, conflict_ways = 1>
// CHECK: module attributes {test.fp8 = #[[FP8]], test.id = #[[ID]], test.pad = #[[PAD]], test.perm = #[[PERM]], test.xor = #[[XOR]]}
module attributes {
  test.fp8 = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64],
                              line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16624, conflict_ways = 1>,
  test.id = #fmha.lds_layout<row = [64, 128, 256, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 512, 1024],
                             line_bytes = 1024, bytes = 16384, conflict_ways = 1>,
  test.xor = #fmha.lds_layout<row = [64, 128, 256, 544, 16 xor 1024, 8192], col = [2, 4, 8, 16, 32, 2048, 4096],
                              line_bytes = 1024, bytes = 16384, conflict_ways = 1>,
  test.pad = #fmha.lds_layout<row = [1024, 2048, 256, 512], col = [2, 4, 8, 16, 32, 64, 128],
                              line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 4160, conflict_ways = 2>,
  test.perm = #fmha.lds_layout<row = [128 xor 16 xor 32, 256], col = [2, 4, 8, 16, 32, 64],
                               line_bytes = 256, chunk_bytes = 256, pad_bytes = 32, bytes = 576, conflict_ways = 1>} {}
