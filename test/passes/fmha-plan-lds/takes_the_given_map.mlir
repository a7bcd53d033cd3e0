// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics | FileCheck %s

// The maps of HipKittens. K in pieces of 32 rows x 64 bytes, in which
// o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4) is the place of byte o: row 8 is
// 512, which meets 32, row 16 is 1024, which meets 16. V in pieces of 8 rows x 64 bytes. What
// the pieces do not have lies above them, rows first: row 32 of K at 2048, rows 8 to 32 of V
// from 512 on, columns 32 and 64 at 4096 and 8192.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [64, 128, 256, 512 xor 32, 1024 xor 16, 2048], col = [2, 4, 8, 16, 32, 4096, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32, 4096, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
//
// The copies are the inverse: at byte 512 of a line is row 8 and, since row 8 alone is at
// 512 xor 32, column 16; line 1024 has row 16 and column 8. The first bits that are no line's are
// the waves': 4 of them.
// CHECK-DAG: #[[KDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 32], [0, 64]], lane = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16]], wave = {{\[\[}}16, 8], [32, 0]]>
// CHECK-DAG: #[[VDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 32], [0, 64]], lane = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = {{\[\[}}16, 0], [32, 0]]>
// CHECK: fmha.copy k {{.*}} dma(#[[KDMA]]) : {{.*}} #[[KLDS]]>
// CHECK: fmha.copy v {{.*}} dma(#[[VDMA]]) : {{.*}} #[[VLDS]]>
//
// A copy has 16 rows of 64 bytes, so 16 cache lines of 2 cycles, for 4 copies of a wave.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [64, 128, 256, 512 xor 32, 1024 xor 16], col = [2, 4, 8, 16, 32]>>,
  v = <read = column, max_pad_bytes = 0, map = <row = [64, 128, 256], col = [2, 4, 8, 16, 32]>>,
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
    // expected-remark @+1 {{k has the LDS map that the schedule gives: no bank conflicts, 128 cycles of the vector cache a wave and tile, 3 address registers, 16384 bytes, 0 cycles of bank conflicts a wave and tile; in its place xor would be chosen: no bank conflicts, 64 cycles}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has the LDS map that the schedule gives: no bank conflicts, 128 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes, 0 cycles of bank conflicts a wave and tile; in its place permuted would be chosen: no bank conflicts, 64 cycles}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}

// -----

// Without the XORs four rows of K meet in a bank: in a phase of 16 lanes of 16 bytes, bits 4
// and 5 of the address have the other column only, and rows of 64 bytes come back to a bank
// after 256: four ways. 3 cycles more for each of 4 phases of each of 16 reads.
// CHECK: #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32, 4096, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 4>
// With padding: rows of V of 256 bytes, 4 a chunk, 16 bytes after each.
// CHECK: #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways =
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, map = <row = [64], col = [2, 4, 8, 16, 32]>>,
  v = <read = column, max_pad_bytes = 0, map = <row = [256, 512], col = [2, 4, 8, 16, 32, 64, 128], chunk_bytes = 1024, pad_bytes = 16>>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// K as the A operand of 32x32x16, 64 keys, 128 columns; V in the key order of P.
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %vv: !fmha.view<128, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at2 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{k has the LDS map that the schedule gives: bank conflicts of 4 ways, 128 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes, 192 cycles of bank conflicts a wave and tile; in its place xor}}
    %k = fmha.load k %at2 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at3 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has the LDS map that the schedule gives: }}
    %v = fmha.load v %at3 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
