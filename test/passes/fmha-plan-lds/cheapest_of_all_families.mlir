// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// All families to choose from, none with conflicts (each has a test of its own). K: identity
// takes 512 cycles of the vector cache; the others 64; xor takes 5 registers, the others 2;
// padded lines take 16640 bytes, a permutation with one chunk in four lines 16448,
// which the next buffer in bank 0 makes 16640, too: the simpler one. V: identity takes 128 cycles, xor 3
// registers, padded lines 17408 bytes, a permutation 16384.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [1024, 2048, 4096, 8192, 256, 512], {{.*}} chunk_bytes = 1024, pad_bytes = 16,
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [64, 128, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 256, 512], line_bytes = 1024, bytes
// CHECK: fmha.copy k {{.*}} #[[KLDS]]>
// CHECK: fmha.copy v {{.*}} #[[VLDS]]>
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
^bb0(%kv: !fmha.view<128, bf16>, %vv: !fmha.view<128, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{k has LDS layout padded: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes; before permuted for its simpler form: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has LDS layout permuted: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes; before padded for fewer bytes: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 17408 bytes}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
