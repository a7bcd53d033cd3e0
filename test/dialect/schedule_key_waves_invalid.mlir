// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected key_waves to be a power of two in 1..4, the waves, found 3}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 3,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected key_waves to be a power of two in 1..4, the waves, found 8}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 8,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>

// -----

// Two waves of 16 rows each.
// expected-error @+1 {{expected tile_m to be a power of two and a multiple of waves / key_waves * qk.n = 32, found 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>

// -----

// A wave has at least the 32 keys of a product with V.
// expected-error @+1 {{expected tile_n to be a power of two and a multiple of key_waves = 4 times qk.m = 16 and pv.k = 32, found 64}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 4, waves_per_simd = 2, key_waves = 4,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected scale fma or q with key_waves: sums of the keys of each wave are relative to its own maximum, which start moves into the scores; found start}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 128, waves = 4, waves_per_simd = 2, key_waves = 4, rescale = lazy, lazy_log2 = 8, scale = start,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
