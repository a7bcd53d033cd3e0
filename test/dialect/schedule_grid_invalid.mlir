// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

fmha.schedule @s = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager,
  // expected-error @+2 {{failed to parse Fmha_ScheduleAttr parameter 'grid'}}
  // expected-error @+1 {{expected one of [linear, longest_first, head_major] for which workgroup of the grid takes which rows, got: shortest_first}}
  grid = shortest_first, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+6 {{duplicate or unknown struct parameter name: order_of_grid}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager,
  order_of_grid = linear, pipeline = <stages = [<@all compute [qk]>]>>

// -----

// expected-error @+7 {{duplicate or unknown struct parameter name: grid}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager,
  grid = linear,
  grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
