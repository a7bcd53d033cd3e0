// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | FileCheck %s

// CHECK: v = <read = column, max_pad_bytes = 64, shared = true>
fmha.schedule @shared = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, shared = true>,
  pipeline = <stages = [<@all compute [qk]>]>>
