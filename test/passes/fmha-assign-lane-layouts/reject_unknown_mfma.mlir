// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-assign-lane-layouts -split-input-file -verify-diagnostics

// A shape that no matrix instruction of gfx950 on bf16 has.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 32>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{'fmha.kernel' op expected qk to be a matrix instruction of gfx950 on 'bf16' and 'bf16' (32x32x16, 16x16x32), found 32x32x32}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{'fmha.kernel' op expected pv to be a matrix instruction of gfx950 on 'bf16' and 'bf16' (32x32x16, 16x16x32), found 16x16x16}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}

// -----

// Of 8 bits there are others.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 32>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{'fmha.kernel' op expected qk to be a matrix instruction of gfx950 on 'f8E4M3FN' and 'f8E4M3FN' (32x32x16, 16x16x32, 32x32x64, 16x16x128), found 32x32x32}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}
