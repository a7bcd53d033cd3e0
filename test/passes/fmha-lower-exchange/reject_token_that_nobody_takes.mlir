// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-exchange -verify-diagnostics

// How O is divided among the waves, only the gather says.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = [[0]]>
!o = !fmha.tile<16x32xf32, #o>
!row = !fmha.tile<16xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %m: !row, %l: !row):
  %x = fmha.lds_exchange : !fmha.exchange<5120>
  // expected-error @+1 {{'fmha.share' op expected one fmha.gather of what is shared, found none or several}}
  %t = fmha.share %o, %m, %l into %x : !o, !row, !fmha.exchange<5120>
}
