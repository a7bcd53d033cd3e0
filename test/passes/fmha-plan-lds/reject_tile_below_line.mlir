// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics

// 16 x 16 elements of 2 bytes are 512 bytes, less than the narrowest loads of 4 waves write.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 16, head_dim_v = 16, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 16, waves = 4, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 16>, pv = <m = 16, n = 16, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<16, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %kv, %t : !fmha.view<16, bf16>
    // expected-error @+1 {{'fmha.load' op expected a tile of at least a line of 256 bytes for each of 4 waves, found 512; fewer waves or a larger tile_n}}
    %k = fmha.load k %at0 : !fmha.rows<16, bf16> -> !fmha.tile<16x16xbf16, #k>
    fmha.yield
  }
}
