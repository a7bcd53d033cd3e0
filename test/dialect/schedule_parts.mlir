// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// A softmax in parts, and what goes with it: what is usual is not printed.
// CHECK: #[[EAGER:.*]] = #fmha.schedule<{{.*}}rescale = eager>{{$}}
// CHECK: #[[FMA:.*]] = #fmha.schedule<{{.*}}rescale = if_changed>{{$}}
// CHECK: #[[LAZY:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 1>{{$}}
// CHECK: #[[MOST:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 12, scale = q>{{$}}
// CHECK: #[[START:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 8, scale = start>{{$}}
// CHECK: #[[ANY_ORDER:.*]] = #fmha.schedule<{{.*}}rescale = lazy, lazy_log2 = 8, scale = q>{{$}}
// CHECK: #[[PIPELINE:.*]] = #fmha.schedule<{{.*}}k = <read = b128, max_pad_bytes = 64, buffers = 2>, v = <read = tr_b16, max_pad_bytes = 64, buffers = 4>, order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 8, pipeline = <tiles = 2, tail = pad, stagger = 1, order = pinned, stages = [<@a memory [load_k ahead 2]>, <@b compute [qk]>]>>{{$}}
// CHECK: fmha.schedule @eager = #[[EAGER]]{{$}}
fmha.schedule @eager = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>
// CHECK: fmha.schedule @fma = #[[FMA]]{{$}}
fmha.schedule @fma = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = if_changed, scale = fma>
// CHECK: fmha.schedule @lazy = #[[LAZY]]{{$}}
fmha.schedule @lazy = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 1>
// CHECK: fmha.schedule @most = #[[MOST]]{{$}}
fmha.schedule @most = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 12, scale = q>
// CHECK: fmha.schedule @start = #[[START]]{{$}}
fmha.schedule @start = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 8, scale = start>
// CHECK: fmha.schedule @any_order = #[[ANY_ORDER]]{{$}}
fmha.schedule @any_order = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, scale = q, lazy_log2 = 8>
// CHECK: fmha.schedule @pipeline = #[[PIPELINE]]{{$}}
fmha.schedule @pipeline = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>, v = <read = tr_b16, max_pad_bytes = 64, buffers = 4>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 8, pipeline = <tiles = 2, tail = pad, stagger = 1, order = pinned, stages = [<@a memory [load_k ahead 2]>, <@b compute [qk]>]>>
