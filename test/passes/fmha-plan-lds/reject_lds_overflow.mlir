// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics

// 256 rows of 256 columns of 2 bytes are 131072 bytes, K and V 262144; a compute
// unit has 160 * 1024 = 163840.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 256, head_dim_v = 256, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 256, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [0, 128], [32, 0], [64, 0], [128, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0], [0, 32], [0, 64], [0, 128]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
// expected-error @+1 {{'fmha.kernel' op LDS plan needs 262144 bytes, a gfx950 workgroup has 163840; reduce tile_n or padding}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<256, bf16>, %vv: !fmha.view<256, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %kv, %t : !fmha.view<256, bf16>
    // expected-remark @+1 {{k has LDS layout}}
    %k = fmha.load k %at0 : !fmha.rows<256, bf16> -> !fmha.tile<256x256xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<256, bf16>
    // expected-remark @+1 {{v has LDS layout}}
    %v = fmha.load v %at1 : !fmha.rows<256, bf16> -> !fmha.tile<256x256xbf16, #v>
    fmha.yield
  }
}
