// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: #[[S:.*]] = #fmha.schedule<tile_m = 16, {{.*}} key_waves = 4, pipeline
// One is the default, and not printed.
// CHECK: #[[ONE:.*]] = #fmha.schedule<tile_m = 64,
// CHECK-NOT: key_waves
// CHECK: fmha.schedule @s = #[[S]]
// CHECK: fmha.schedule @one = #[[ONE]]
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 4,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>

fmha.schedule @one = #fmha.schedule<tile_m = 64, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
