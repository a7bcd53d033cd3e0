// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// Bits are printed as instructions have them, whatever their order; operands without any are not.
// CHECK: #[[NONE:.*]] = #fmha.schedule<{{.*}}v = <read = column, max_pad_bytes = 0>, pipeline = {{.*}}>
// CHECK: #[[ONE:.*]] = #fmha.schedule<{{.*}}, cache = <o = nt>, pipeline = {{.*}}>
// CHECK: #[[ALL:.*]] = #fmha.schedule<{{.*}}, grid = head_major, cache = <q = sc0, k = nt, v = sc1, o = sc0 nt, lse = sc0 sc1, bias = nt sc1, q_scale = sc0 nt sc1, k_scale = nt, v_scale = nt, pages = sc1, part_o = sc0 nt sc1, part_lse = nt>, pipeline = {{.*}}>
// CHECK: fmha.schedule @none = #[[NONE]]
fmha.schedule @none = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: fmha.schedule @one = #[[ONE]]
fmha.schedule @one = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <stages = [<@all compute [qk]>]>, cache = <o = nt>>
// CHECK: fmha.schedule @all = #[[ALL]]
fmha.schedule @all = #fmha.schedule<
  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>, grid = head_major,
  cache = <part_lse = nt, part_o = sc1 nt sc0, pages = sc1, v_scale = nt, k_scale = nt,
    q_scale = nt sc1 sc0, bias = sc1 nt, lse = sc1 sc0, o = nt sc0, v = sc1, k = nt, q = sc0>,
  pipeline = <stages = [<@all compute [qk]>]>>
