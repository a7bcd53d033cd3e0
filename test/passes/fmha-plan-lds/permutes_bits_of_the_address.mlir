// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// Any order of the bits. V by column: 32 lanes of 8 bytes are columns 4, 8, 16 and keys 1
// and 2. With columns 4, 8, 16 at bits 3, 4, 5 and keys 1 and 2 at 6 and 7 they are 256
// bytes on end, each bank once, without padding. Then columns 32 and 64: a copy of
// 1024 bytes has 4 whole rows of 256.
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [64, 128, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 256, 512], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
//
// K by row has to have keys 1, 2, 4, 8 at bits 4 to 7 to do without padding; then no more
// than 64 bytes of a row come together. With whole rows and 4 lanes of 64 bytes side by side
// it has keys 1 and 2 at 6 and 7, and 4 and 8 choose lines, the first of which moves by 16
// bytes what lies after it, the second by 32: 4 banks and 8. 16 lines of 1040.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [64, 128, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 256, 512], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
// CHECK: fmha.copy k {{.*}} #[[KLDS]]>
// CHECK: fmha.copy v {{.*}} #[[VLDS]]>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, layout = permuted>, v = <read = column, max_pad_bytes = 64, layout = permuted>,
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
    // expected-remark @+1 {{k has LDS layout permuted: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes; the schedule asks for it}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has LDS layout permuted: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes; the schedule asks for it}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
