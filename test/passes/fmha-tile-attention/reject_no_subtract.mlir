// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics

// Only a Q that is rounded has the factor of scores.
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
// expected-error @+1 {{'fmha.attention' op expected a place for 'subtract' in the schedule's pipeline, which multiplies scores by their factor: only a Q that the kernel rounds has it; found none}}
fmha.attention @a problem(#problem) schedule(#schedule)
