// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.wall' op expected every step to be expanded, found this one left over}}
  fmha.wall
}

// -----

// Each one is named.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.stagger' op expected every step to be expanded, found this one left over}}
  fmha.stagger first barriers 1
  // expected-error @+1 {{'fmha.wall' op expected every step to be expanded, found this one left over}}
  fmha.wall
}

// -----

// What is the workgroup's by the order of the grid is the business of another pass.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.id' op expected lane or wave, found 'q_tile'; run fmha-place-workgroups}}
  %0 = fmha.id q_tile : i32
  // expected-error @+1 {{'fmha.id' op expected lane or wave, found 'head'; run fmha-place-workgroups}}
  %1 = fmha.id head : i32
  // expected-error @+1 {{'fmha.id' op expected lane or wave, found 'batch'; run fmha-place-workgroups}}
  %2 = fmha.id batch : i32
  llvm.inline_asm has_side_effects "", "s,s,s" %0, %1, %2 : (i32, i32, i32) -> ()
}
