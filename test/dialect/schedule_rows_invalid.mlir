// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -verify-diagnostics -split-input-file

// expected-error@+6 {{expected one of [head, group] for which rows of Q a tile of rows has, got: tile}}
// expected-error@+5 {{failed to parse Fmha_ScheduleAttr parameter 'rows'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rows = tile, pipeline = <stages = [<@all compute [qk]>]>>
