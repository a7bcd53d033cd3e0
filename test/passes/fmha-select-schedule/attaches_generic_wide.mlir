// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic_wide | FileCheck %s

// What is attached is @generic with the change that the schedule's file makes: half the keys.
// CHECK: #schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2, qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>, k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>, grid = longest_first, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp, write_v]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv, write_k ahead 1]>]>>
// CHECK: fmha.attention @a problem(#problem) schedule(#schedule)
// CHECK: fmha.attention @b problem(#problem1) schedule(#schedule)
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
fmha.attention @b problem(#fmha.problem<q = f16, k = f16, v = f16, p = f16, o = f16, head_dim_qk = 64, head_dim_v = 64, mask = causal>)
