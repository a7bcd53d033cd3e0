// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file -verify-diagnostics

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#k = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = token>
// expected-error @+1 {{expected a schedule with a place for 'score_mod' in its pipeline: rows of K have factors of their own; found none. Where a tile has one factor, scale = start and places for 'scale_k' and 'unit_k' will do, too}}
fmha.attention @k problem(#k) schedule(#schedule)

// -----

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert[0 to 1 of 2], convert[1 to 2 of 2], rescale, row_sum, read_v, pv]>]>>
#v = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = token>
// expected-error @+1 {{expected a schedule that does not divide 'convert': rows of V have factors of their own, which weights take before they are rounded and O follows; found parts}}
fmha.attention @v problem(#v) schedule(#schedule)
