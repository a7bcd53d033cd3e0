// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// Keys come in any order; those at their default are not printed.
// CHECK: #[[EAGER:.*]] = #fmha.schedule<{{.*}}v = <read = column, max_pad_bytes = 64>, pipeline = <stages = [<@all compute [qk]>]>>{{$}}
// CHECK: #[[LAZY:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 1, pipeline = {{.*}}>{{$}}
// CHECK: #[[MOST:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 12, scale = q, pipeline = {{.*}}>{{$}}
// CHECK: #[[START:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 8, scale = start, pipeline = {{.*}}>{{$}}
// CHECK: #[[ANY_ORDER:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 8, scale = q, pipeline = {{.*}}>{{$}}
// CHECK: #[[PIPELINE:.*]] = #fmha.schedule<{{.*}}k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 4>, rescale = lazy, lazy_log2 = 8, pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [<@a memory [load_k ahead 2]>, <@b compute [qk]>]>>{{$}}
// CHECK: fmha.schedule @eager = #[[EAGER]]{{$}}
fmha.schedule @eager = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @fma = #[[EAGER]]{{$}}
fmha.schedule @fma = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = fma, rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @lazy = #[[LAZY]]{{$}}
fmha.schedule @lazy = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 1, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @most = #[[MOST]]{{$}}
fmha.schedule @most = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 12, scale = q, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @start = #[[START]]{{$}}
fmha.schedule @start = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @any_order = #[[ANY_ORDER]]{{$}}
fmha.schedule @any_order = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, scale = q, lazy_log2 = 8, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @pipeline = #[[PIPELINE]]{{$}}
fmha.schedule @pipeline = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 4>,
  rescale = lazy, lazy_log2 = 8, pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [<@a memory [load_k ahead 2]>, <@b compute [qk]>]>>
