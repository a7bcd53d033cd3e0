// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %q: !fmha.tile<128x128xbf16>, %lo: i32, %hi: i32):
  %at0 = fmha.rows k %kv, %lo : !fmha.view<128, bf16>
  // expected-remark @+2 {{k has LDS layout}}
  // expected-error @+1 {{'fmha.load' op expected uses in the block of the load, found one elsewhere}}
  %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
  fmha.kv_loop %t = %lo to %hi {
    %s = fmha.product k %q, %k : !fmha.tile<128x128xbf16>, !fmha.tile<64x128xbf16, #k> -> !fmha.tile<128x64xf32>
    fmha.yield
  }
}
