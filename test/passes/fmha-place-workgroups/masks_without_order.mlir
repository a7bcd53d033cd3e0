// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-place-workgroups -split-input-file -verify-diagnostics

// Masks under which no end of the rows sees more keys than the other: the pass says
// that it leaves the grid alone. Under others it says nothing.

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
// expected-remark @+1 {{grid = longest_first is left as linear: mask none gives tiles of Q no order by length}}
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = chunked, chunk = 64>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
// expected-remark @+1 {{grid = longest_first is left as linear: mask chunked gives tiles of Q no order by length}}
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_left = 3, window_right = 3>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
// expected-remark @+1 {{grid = longest_first is left as linear: mask window gives tiles of Q no order by length}}
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
// expected-remark @+1 {{grid = longest_first is left as linear: mask window gives tiles of Q no order by length}}
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal_top_left>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_right = 3>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = window, window_left = 3>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = longest_first, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

// Of the others no word: not of the usual order, and not of one that asks for no lengths.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = linear, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, grid = head_major, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 64)", "Hq", "B"], block = 128>) {
  fmha.id q_tile : i32
}
