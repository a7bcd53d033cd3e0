// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// 128 keys: 32 lines of 1024 bytes, which would have 32 paddings of 16, 33280 bytes. With two lines a
// chunk there are 16: 32768 + 256 = 33024. Keys 1 and 2 are bits 6 and 7 of the address,
// key 4 the line within a chunk, keys 8 and 16 chunks: 16 and 32 bytes on. The phase of lanes 0-3,
// 12-15, 20-27 has keys 0-3 as they are, 12-15 4 banks on by key 8, 20-23 8 banks on by key
// 16, 24-27 12 by both: each bank once.
// CHECK: #[[LDS:.*]] = #fmha.lds_layout<row = [64, 128, 1024, 2048, 4096, 8192, 16384], col = [2, 4, 8, 16, 32, 256, 512], line_bytes = 1024, chunk_bytes = 2048, pad_bytes = 16, bytes = 33024, conflict_ways = 1>
// CHECK: fmha.copy k {{.*}} #[[LDS]]>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 128, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %vv: !fmha.view<128, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{k has LDS layout permuted: no bank conflicts, 128 cycles of the vector cache a wave and tile, 2 address registers, 33024 bytes; before padded for fewer bytes: no bank conflicts, 128 cycles of the vector cache a wave and tile, 2 address registers, 33280 bytes}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<128x128xbf16, #k>
    fmha.yield
  }
}
