// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -verify-diagnostics

// expected-error @+1 {{expected shared of v only, which may lie in k; found it of k}}
fmha.schedule @shared = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64, shared = true>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
