// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

fmha.schedule @word = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>,
  // expected-error @+3 {{expected sc0, nt or sc1, found 'slc'}}
  // expected-error @+2 {{failed to parse Fmha_CacheAttr parameter 'k'}}
  // expected-error @+1 {{failed to parse Fmha_ScheduleAttr parameter 'cache'}}
  cache = <k = nt slc>>

// -----

fmha.schedule @none = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>,
  // expected-error @+3 {{expected sc0, nt or sc1, found 'none'}}
  // expected-error @+2 {{failed to parse Fmha_CacheAttr parameter 'k'}}
  // expected-error @+1 {{failed to parse Fmha_ScheduleAttr parameter 'cache'}}
  cache = <k = none>>

// -----

fmha.schedule @nothing = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>,
  // expected-error @+3 {{expected sc0, nt or sc1, found none of them}}
  // expected-error @+2 {{failed to parse Fmha_CacheAttr parameter 'k'}}
  // expected-error @+1 {{failed to parse Fmha_ScheduleAttr parameter 'cache'}}
  cache = <k = , o = nt>>

// -----

fmha.schedule @twice = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>,
  // expected-error @+3 {{expected each of sc0, nt and sc1 once, found 'nt' again}}
  // expected-error @+2 {{failed to parse Fmha_CacheAttr parameter 'o'}}
  // expected-error @+1 {{failed to parse Fmha_ScheduleAttr parameter 'cache'}}
  cache = <o = nt sc0 nt>>

// -----

fmha.schedule @operand = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>,
  // expected-error @+2 {{duplicate or unknown struct parameter name: p}}
  // expected-error @+1 {{failed to parse Fmha_ScheduleAttr parameter 'cache'}}
  cache = <p = nt>>

// -----

fmha.schedule @empty = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>,
  // expected-error @+2 {{expected cache with sc0, nt or sc1 of an operand, or no cache at all; found one of no operand}}
  // expected-error @+1 {{failed to parse Fmha_ScheduleAttr parameter 'cache'}}
  cache = <>>
