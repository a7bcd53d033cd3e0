// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected waves to be a power of two in 1..16, found 3}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 3, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected waves to be a power of two in 1..16, found 32}}
fmha.schedule @s = #fmha.schedule<tile_m = 1024, tile_n = 64, waves = 32, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected waves_per_simd in 1..8, found 0}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 0,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected waves_per_simd in 1..8, found 9}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 9,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// One lane owns the same rows in S, P and O: columns of both instructions.
// expected-error @+1 {{expected qk and pv to own the same rows a lane: qk has n = 32, pv has n = 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// 4 waves of 32 rows: 128.
// expected-error @+1 {{expected tile_m to be a power of two and a multiple of waves * qk.n = 128, found 64}}
fmha.schedule @s = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// 384 is a multiple of 128, not a power of two.
// expected-error @+1 {{expected tile_m to be a power of two and a multiple of waves * qk.n = 128, found 384}}
fmha.schedule @s = #fmha.schedule<tile_m = 384, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected tile_n to be a power of two and a multiple of qk.m = 32 and pv.k = 16, found 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 16, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected tile_n to be a power of two and a multiple of qk.m = 16 and pv.k = 32, found 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 16, waves = 1, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected tile_n to be a power of two and a multiple of qk.m = 32 and pv.k = 16, found 96}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 96, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// A loop without steps computes nothing.
// expected-error @+3 {{struct is missing required parameter: pipeline}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>>
