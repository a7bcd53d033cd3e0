// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=pipelined -split-input-file -verify-diagnostics

// Half the scores are lifted by less than the other half.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x64xf32>
!rows = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !rows, %factor: f32):
  // expected-note @+1 {{weights are lifted here}}
  %0 = fmha.subtract %s, %m, %factor lift 8 part <0 to 1 of 2> : !s, !rows
  // expected-error @+1 {{'fmha.subtract' op expected the lift of all weights, 8, found 6}}
  %1 = fmha.subtract %0, %m, %factor lift 6 part <1 to 2 of 2> : !s, !rows
}

// -----

// LSE would be too large by 8 ln 2.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x64xf32>
!rows = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !rows, %l: !rows, %factor: f32):
  // expected-note @+1 {{weights are lifted here}}
  %0 = fmha.subtract %s, %m, %factor lift 8 : !s, !rows
  // expected-error @+1 {{'fmha.log_sum' op expected the lift of all weights, 8, found 0}}
  %1 = fmha.log_sum %m, %l, %factor : !rows
}

// -----

// e4m3 reaches 448 = 2^8.81: after a late rescale the greatest weight is 2^10.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x64xf32>
!rows = !fmha.tile<32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %m: !rows, %factor: f32):
  // expected-error @+1 {{'fmha.subtract' op expected a lift and a late rescale of at most 8.80}}
  %0 = fmha.subtract %s, %m, %factor lift 8 : !s, !rows
}

// -----

// f16 reaches 2^16: weights that take V's factors are lifted no further than a late rescale leaves.
#problem = #fmha.problem<q = f16, k = f8E4M3FN, v = f8E4M3FN, p = f16, o = f16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = token>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, pipeline = <stages = [<@all compute [qk]>]>>
!s = !fmha.tile<32x64xf32>
!rows = !fmha.tile<32xf32>
!view = !fmha.view<1, f32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %index: i32, %most: !rows):
  %view = fmha.view v_scale : !view
  // expected-error @+1 {{'fmha.fold_keys' op expected a lift and a late rescale of at most 1.599}}
  %0, %1, %2 = fmha.fold_keys %s, %view, %index, %most lift 15 : !s, !view, !rows
}
