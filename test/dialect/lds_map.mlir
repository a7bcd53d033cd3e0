// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | %python %S/Inputs/seed_maps.py | FileCheck %s

// Layouts of published kernels as maps; the script has their closed forms. The third is of
// 8-bit elements, 128 keys and columns: chunks of 1024 bytes, 16 more after each.
// CHECK: st_8x32: 8 x 32, 256 elements, 0 elsewhere, 512 bytes
// CHECK: st_32x32: 32 x 32, 1024 elements, 0 elsewhere, 2048 bytes
// CHECK: v227: 128 x 128, 16384 elements, 0 elsewhere, 16624 bytes
// CHECK: v227: lanes read 16384 elements in the order of P
module attributes {
  test.st_8x32 = #fmha.lds_map<row = [64, 128, 256], col = [2, 4, 8, 16, 32]>,
  test.st_32x32 = #fmha.lds_map<row = [64, 128, 256, 512 xor 32, 1024 xor 16], col = [2, 4, 8, 16, 32]>,
  test.v227 = #fmha.lds_map<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64], chunk_bytes = 1024, pad_bytes = 16>} {}
