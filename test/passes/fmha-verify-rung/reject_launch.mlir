// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=tiles -split-input-file -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=pipelined -split-input-file -verify-diagnostics
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// Two waves are 128 work-items.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{'fmha.kernel' op expected its launch to have block = 128, as the schedule has waves, found 64}}
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(#fmha.launch<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 64>) {
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <recipe = @mine, stages = [<@all compute [qk]>]>>
// expected-error @+1 {{'fmha.kernel' op expected the recipe in the stages (run fmha-select-schedule), found the name of one, @mine}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}
