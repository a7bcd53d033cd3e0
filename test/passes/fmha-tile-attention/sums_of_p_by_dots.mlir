// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// With dot products it is P that is summed, too, each lane its own part of a row: lanes
// that share one add up after the loop.
// CHECK: %[[P:.*]] = fmha.convert
// CHECK-NEXT: %[[L:.*]] = fmha.row_sum %[[P]] to
// CHECK-NEXT: fmha.product v %[[P]]
// CHECK-NOT: fmha.move_rows
// CHECK: %[[SUM:.*]] = fmha.combine_rows
// CHECK: fmha.normalize %{{.*}}, %[[SUM]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 1, n = 1, k = 2>, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#problem) schedule(#schedule)
