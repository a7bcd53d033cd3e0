// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file -verify-diagnostics

// Q quantised: P has 8 bits, Q has not yet.
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
// expected-error @+1 {{'fmha.attention' op expected q and p of one type, and k and v of the same or of fewer bits, found q = 'bf16', k = 'f8E4M3FN', v = 'f8E4M3FN', p = 'f8E4M3FN'}}
fmha.attention @a problem(#problem) schedule(#schedule)
