// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -verify-diagnostics

fmha.schedule @s = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager,
  // expected-error @+2 {{failed to parse Fmha_ScheduleAttr parameter 'packed'}}
  // expected-error @+1 {{expected one of [off, rescale, softmax] for what takes two f32 an instruction, got: on}}
  packed = on, pipeline = <stages = [<@all compute [qk]>]>>
