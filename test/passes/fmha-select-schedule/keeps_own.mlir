// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic -verify-diagnostics | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// CHECK: #schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8,
// CHECK-NOT: #fmha.schedule
// CHECK: fmha.attention @own problem(#problem) schedule(#schedule)
// expected-remark @+1 {{kept the schedule that came with the problem}}
fmha.attention @own problem(#problem) schedule(#schedule)
