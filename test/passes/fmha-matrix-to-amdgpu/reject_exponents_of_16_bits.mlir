// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu -verify-diagnostics

// Only instructions on at most 8 bits have exponents.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 16, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#op = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @product problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x16xbf16, #op>, %k: !fmha.tile<32x16xbf16, #op>, %e: !fmha.tile<32xi32, #rows>):
  // expected-error @+1 {{'fmha.product' op expected a matrix instruction that takes exponents of rows, as v_mfma_scale_f32_32x32x64_f8f6f4, found 32x32x16_bf16}}
  %s = fmha.product k %q, %k by %e : !fmha.tile<32xi32, #rows> : !fmha.tile<32x16xbf16, #op>, !fmha.tile<32x16xbf16, #op> -> !fmha.tile<32x32xf32, #s>
}
