// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// Swizzled by XOR, without padding. Each row gives 128 bytes on end, a cache line; a
// copy of 1024 bytes has 8 rows, so that it takes 16 cycles of the vector cache.
//
// K by row: the phases hold each key mod 16 once, and 16 lanes of 16 bytes sweep the
// 64 banks if these keys differ in bits 4 to 7 of the address. Key 1 is bit 7, since
// a row has the 7 below; keys 2, 4, 8 are bits 8, 9, 10, which are no banks, and so are
// exclusive-ored into 4, 5, 6. Fewer terms leave two of 16 keys in one bank.
// Columns 16 and 32 of the reads are bits 5 and 6, which lanes have, too: 4 values of a
// lane's address. Key 8 lies at 1024 with column 32; it chooses the wave. 4 + 1
// registers.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [128, 256 xor 16, 512 xor 32, 1024 xor 64, 2048, 4096], col = [2, 4, 8, 16, 32, 64, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
//
// V by column: 32 lanes of 8 bytes are columns 4, 8, 16 (bits 3, 4, 5) and keys 1 and 2.
// Key 1 is bit 7, key 2 bit 8: into 6, and all banks are taken once. Column 32
// of the reads is bit 6: 2 values, and 1 of the copies.
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [128, 256 xor 64, 512, 1024, 2048, 4096], col = [2, 4, 8, 16, 32, 64, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
//
// The copy is the inverse: byte 256 of a line has key 2 and, since key 2 alone is at
// 256 xor 16, column 8 of K; byte 512 key 4 and column 16; line 1024 key 8 and column 32.
// CHECK-DAG: #[[KDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0], [0, 64]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], wave = {{\[\[}}8, 32], [16, 0]]>
// CHECK-DAG: #[[VDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0], [0, 64]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 32], [4, 0]], wave = {{\[\[}}8, 0], [16, 0]]>
// CHECK: fmha.copy k {{.*}} dma(#[[KDMA]]) : {{.*}} #[[KLDS]]>
// CHECK: fmha.copy v {{.*}} dma(#[[VDMA]]) : {{.*}} #[[VLDS]]>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, layout = xor>, v = <read = column, max_pad_bytes = 0, layout = xor>,
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
    // expected-remark @+1 {{k has LDS layout xor: no bank conflicts, 64 cycles of the vector cache a wave and tile, 5 address registers, 16384 bytes; the schedule asks for it}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has LDS layout xor: no bank conflicts, 64 cycles of the vector cache a wave and tile, 3 address registers, 16384 bytes; the schedule asks for it}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
