// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// What takes two f32 an instruction. What is usual is not printed.
// CHECK: #[[A:.*]] = #fmha.schedule<{{.*}}, v = <read = column, max_pad_bytes = 0>, pipeline = {{.*}}>
// CHECK: #[[B:.*]] = #fmha.schedule<{{.*}}, packed = off, pipeline = {{.*}}>
// CHECK: #[[C:.*]] = #fmha.schedule<{{.*}}, packed = softmax, grid = head_major, pipeline = {{.*}}>
// CHECK: fmha.schedule @usual = #[[A]]
fmha.schedule @usual = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @rescale = #[[A]]
fmha.schedule @rescale = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, packed = rescale, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @off = #[[B]]
fmha.schedule @off = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, packed = off, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @softmax = #[[C]]
fmha.schedule @softmax = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, packed = softmax, grid = head_major, pipeline = <stages = [<@all compute [qk]>]>>
