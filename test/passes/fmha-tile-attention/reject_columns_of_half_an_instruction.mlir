// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -verify-diagnostics -fmha-tile-attention

#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// expected-error @+1 {{expected the columns of K before the last 16 (rope_dim) to be a multiple of the 32 that a matrix instruction of the schedule's qk takes, found 112}}
fmha.attention @step problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, rope_dim = 16>) schedule(#schedule)
