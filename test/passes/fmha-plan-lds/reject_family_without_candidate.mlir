// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics

// 16 rows of 16 bytes are 256 bytes, each bank once: every bit of the row chooses a bank
// already.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 8, head_dim_v = 8, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 16, waves = 1, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 8>, pv = <m = 16, n = 16, k = 8>,
  k = <read = row, max_pad_bytes = 0, layout = xor>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<8, bf16>, %t: i32):
  %at0 = fmha.rows k %view, %t : !fmha.view<8, bf16>
  // expected-error-re @+1 {{'fmha.load' op expected a tile that LDS layout xor can hold: its rows lie within one sweep of the banks, which leaves no bit to exclusive-or, found '!fmha.tile<16x8xbf16,{{.*}}>'; another layout in the schedule}}
  %k = fmha.load k %at0 : !fmha.rows<8, bf16> -> !fmha.tile<16x8xbf16, #k>
}
