// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule | FileCheck %s

// The stage that has groups of its own keeps them; the others get those of the recipe, and the
// recipe goes.
// CHECK-NOT: fmha.recipe
// CHECK: pipeline = <instructions = pinned, stages = [<@in memory [load_k, load_v, read_k, read_v] groups {{\[\[}}ds_read 4]]>, <@all compute [qk, score_mod, mask, row_max, rescale, subtract, exp, row_sum, convert, pv] groups [4 x [mfma 1, trans 2]]>]>
// CHECK-NOT: fmha.recipe
#schedule = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <instructions = pinned, recipe = @mine, stages = [
    <@in memory [load_k, load_v, read_k, read_v] groups [[ds_read 4]]>,
    <@all compute [qk, score_mod, mask, row_max, rescale, subtract, exp, row_sum, convert, pv]>]>>
fmha.recipe @mine = #fmha.recipe<@in [[ds_read 7]], @all [4 x [mfma 1, trans 2]]>
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>) schedule(#schedule)
