// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.k = #fmha.staging<read = b128, max_pad_bytes = 0>
// CHECK-SAME: test.v = #fmha.staging<read = tr_b16, max_pad_bytes = 1024>
module attributes {test.k = #fmha.staging<read = b128, max_pad_bytes = 0>,
                   test.v = #fmha.staging<read = tr_b16, max_pad_bytes = 1024>} {}
