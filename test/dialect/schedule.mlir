// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// CHECK: #[[A:.*]] = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2, qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>, k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: #[[B:.*]] = #fmha.schedule<tile_m = 16, tile_n = 32, waves = 1, waves_per_simd = 8, qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>, k = <read = column, max_pad_bytes = 1024>, v = <read = row, max_pad_bytes = 16>, rescale = lazy, lazy_log2 = 8, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @a = #[[A]]
fmha.schedule @a = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @b = #[[B]]
fmha.schedule @b = #fmha.schedule<
  tile_m = 16, tile_n = 32, waves = 1, waves_per_simd = 8,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = column, max_pad_bytes = 1024>, v = <read = row, max_pad_bytes = 16>,
  rescale = lazy, lazy_log2 = 8, pipeline = <stages = [<@all compute [qk]>]>>
