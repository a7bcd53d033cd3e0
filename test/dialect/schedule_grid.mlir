// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// Orders of the grid. What is usual is not printed, and two schedules that differ in
// nothing else are the same.
// CHECK: #[[A:.*]] = #fmha.schedule<{{.*}}, v = <read = column, max_pad_bytes = 0>, pipeline = {{.*}}>
// CHECK: #[[B:.*]] = #fmha.schedule<{{.*}}, grid = longest_first, pipeline = {{.*}}>
// CHECK: #[[C:.*]] = #fmha.schedule<{{.*}}, grid = head_major, pipeline = {{.*}}>
// CHECK: fmha.schedule @none = #[[A]]
fmha.schedule @none = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @linear = #[[A]]
fmha.schedule @linear = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @longest_first = #[[B]]
fmha.schedule @longest_first = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @head_major = #[[C]]
fmha.schedule @head_major = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, grid = head_major, pipeline = <stages = [<@all compute [qk]>]>>
