// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, softcap = 32.0 : f32>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{'fmha.attention' op expected a schedule with a place for 'score_mod' in its pipeline: the problem has a soft cap, ALiBi, a bias or a function of scores; found none}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, alibi = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{'fmha.attention' op expected a schedule with a place for 'score_mod' in its pipeline: the problem has a soft cap, ALiBi, a bias or a function of scores; found none}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, bias = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{'fmha.attention' op expected a schedule with a place for 'score_mod' in its pipeline: the problem has a soft cap, ALiBi, a bias or a function of scores; found none}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, score_mod = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}
// expected-error @+1 {{'fmha.attention' op expected a schedule with a place for 'score_mod' in its pipeline: the problem has a soft cap, ALiBi, a bias or a function of scores; found none}}
fmha.attention @attn problem(#problem) schedule(#schedule)
