// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// Of weights of 8 bits an instruction with a sparse A gives sums in two parts.
// CHECK: fmha.matrix_sum
// CHECK: %[[SUM:.*]] = fmha.move_rows %{{.*}} parts 2 :
// CHECK: fmha.normalize %{{.*}}, %[[SUM]]

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, sums = <m = 32, n = 32, k = 64>, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#problem) schedule(#schedule)
