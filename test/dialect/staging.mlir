// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.a = #fmha.staging<read = row, max_pad_bytes = 0>{{[,}]}}
// CHECK-SAME: test.b = #fmha.staging<read = column, max_pad_bytes = 1024>{{[,}]}}
// CHECK-SAME: test.c = #fmha.staging<read = row, max_pad_bytes = 64, buffers = 8>{{[,}]}}
// CHECK-SAME: test.d = #fmha.staging<read = row, max_pad_bytes = 64>{{[,}]}}
// CHECK-SAME: test.e = #fmha.staging<read = row, max_pad_bytes = 0, layout = identity>{{[,}]}}
// CHECK-SAME: test.f = #fmha.staging<read = row, max_pad_bytes = 0, map = <row = [64, 512 xor 32, 128, 256, 1024 xor 16], col = [2, 4, 8, 16, 32], chunk_bytes = 1024, pad_bytes = 16>>{{[,}]}}
// CHECK-SAME: test.g = #fmha.lds_map<row = [], col = [2, 4]>{{[,}]}}
module attributes {test.a = #fmha.staging<read = row, max_pad_bytes = 0>,
                   test.b = #fmha.staging<read = column, max_pad_bytes = 1024>,
                   test.c = #fmha.staging<read = row, max_pad_bytes = 64, buffers = 8>,
                   test.d = #fmha.staging<read = row, max_pad_bytes = 64, buffers = 1, layout = any>,
                   test.e = #fmha.staging<read = row, max_pad_bytes = 0, layout = identity>,
                   test.f = #fmha.staging<map = <row = [64, 512 xor 32, 128, 256, 1024 xor 16], col = [2, 4, 8, 16, 32], chunk_bytes = 1024, pad_bytes = 16>, read = row, max_pad_bytes = 0>,
                   test.g = #fmha.lds_map<row = [], col = [2, 4]>} {}
