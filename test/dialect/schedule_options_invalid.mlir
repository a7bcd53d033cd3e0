// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected rescale lazy with scale start: the maximum has to be known before the scores}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = start, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected lazy_log2 in 1..12 with rescale lazy and none without, found 0}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// P in f16 has to stay below 2^16.
// expected-error @+1 {{expected lazy_log2 in 1..12 with rescale lazy and none without, found 13}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 13, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected lazy_log2 in 1..12 with rescale lazy and none without, found 8}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, lazy_log2 = 8, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+6 {{failed to parse Fmha_ScheduleAttr parameter 'scale'}}
// expected-error @+5 {{expected one of [fma, q, start] for where scores meet scale and maximum, got: k}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = k, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+1 {{expected no 'score_mod' in the pipeline with scale start: scores come out relative to the maximum}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@all compute [qk, score_mod]>]>>

// -----

// expected-error @+6 {{failed to parse Fmha_ScheduleAttr parameter 'rescale'}}
// expected-error @+5 {{expected one of [eager, lazy] for when O follows the row maximum, got: if_changed}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = if_changed, pipeline = <stages = [<@all compute [qk]>]>>
