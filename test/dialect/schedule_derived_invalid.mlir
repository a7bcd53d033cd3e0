// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected '<'}}
fmha.schedule @a = @b with tile_m = 1

// -----

// expected-error @+1 {{expected keys of a schedule and their values, up to a '>'}}
fmha.schedule @a = @b with <k = (1)>

// -----

// expected-error @+1 {{expected a schedule or the name of a base, found neither}}
"fmha.schedule"() <{sym_name = "a"}> : () -> ()

// -----

// expected-error @+1 {{expected a base with changes, found none}}
"fmha.schedule"() <{sym_name = "a", changes = #fmha.changes<tile_m = 1>, value = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>>}> : () -> ()

// -----

// expected-error @+1 {{expected a schedule or the name of a base, found both}}
"fmha.schedule"() <{sym_name = "a", base = @b, value = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>>}> : () -> ()
