// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@scores compute [load_k, load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{expected when to be a condition like Sk <= 256 of at most 127 bytes, found "short", wrong from byte 0}}
fmha.attention @few problem(#problem) schedule(#schedule) when "short"
