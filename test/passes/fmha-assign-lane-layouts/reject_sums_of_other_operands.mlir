// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 16>, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{expected sums to be a matrix instruction of gfx950 on 'bf16' and 'bf16' (32x32x16, 16x16x32), found 16x16x16}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}

// -----

// 32x32x16 counts columns by lane bit 4, by which P of 16x16x32 counts keys: two columns
// would hold half a sum each.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 32, n = 32, k = 16>, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{expected sums to count columns by the lane bits that count rows of P, as with n = 16, the n of qk, or dot products (m = 1, n = 1, k = 2); found n = 32 and lane bit 4, which counts keys of P}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}

// -----

// 16x16x32 contracts over lane bit 4, by which P of 32x32x16 counts row 16: rows c and c + 16
// would meet in column c, and the NaN of one, times zero, in the sum of the other.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{expected sums to count columns by the lane bits that count rows of P, as with n = 32, the n of qk, so that rows do not meet, or dot products (m = 1, n = 1, k = 2); found n = 16 and lane bit 4, which counts rows of P}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}
