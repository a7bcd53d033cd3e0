// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// Rows of one head are not printed, as they are what there is without the key.
// CHECK: #[[HEAD:.*]] = #fmha.schedule<{{.*}}v = <read = column, max_pad_bytes = 0>, pipeline = {{.*}}>
// CHECK: #[[GROUP:.*]] = #fmha.schedule<{{.*}}grid = longest_first, rows = group, pipeline = {{.*}}>
// CHECK: fmha.schedule @head = #[[HEAD]]
fmha.schedule @head = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rows = head, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @group = #[[GROUP]]
fmha.schedule @group = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rows = group, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
