// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule -split-input-file -verify-diagnostics

#schedule = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <recipe = @other, stages = [<@all compute [qk]>]>>
fmha.recipe @mine = #fmha.recipe<@all [[mfma 1]]>
// expected-error @+2 {{expected a recipe of the file or a built-in one, found @other}}
// expected-remark @+1 {{kept the schedule that came with the problem}}
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>) schedule(#schedule)

// -----

#schedule = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <recipe = @mine, stages = [<@in memory [load_k]>, <@all compute [qk]>]>>
// expected-error @+1 {{expected @mine to name stages of the schedule (@in, @all), found @out}}
fmha.recipe @mine = #fmha.recipe<@all [[mfma 1]], @out [[mfma 1]]>
// expected-remark @+1 {{kept the schedule that came with the problem}}
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>) schedule(#schedule)

// -----

#schedule = #fmha.schedule<
  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 0>,
  pipeline = <recipe = @mine, stages = [<@in memory [load_k]>, <@all compute [qk]>]>>
// expected-error @+1 {{expected groups of @in of classes that its steps have, found 'ds_read', which none of them makes}}
fmha.recipe @mine = #fmha.recipe<@in [[ds_read 1]]>
// expected-remark @+1 {{kept the schedule that came with the problem}}
fmha.attention @a problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>) schedule(#schedule)
