// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// A direct-to-LDS load of a wave writes 64 lanes * 16 bytes = 1024 bytes on end, a
// line. A row of K is 128 * 2 = 256 bytes: a line of whole rows has 4 of them, the
// tile of 64 rows 16 lines.
//
// K by row: lanes c = 0..31 of a half read 16 bytes each of keys 0..31 of one
// column. Phase {0-3, 12-15, 20-27} of LDS and the others hold each key mod 16 once
// (measured phases; see the chip's table). 64 banks of 4 bytes serve it at once if
// keys 1, 2, 4, 8 lie 4, 8, 16, 32 banks on. With keys 16 and 32 inside the line
// (256 and 512 bytes on, bank 0) and lines of 1024 + 16 bytes:
//   key 1: 1040 / 4 = 260 = 4 mod 64, key 2: 8, key 4: 16, key 8: 32. Free.
// Without padding keys 1..8 would all begin in bank 0. A smaller pad keeps no
// 16-byte alignment. 16 lines: 16 * 1040 = 16640 bytes.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [1024, 2048, 4096, 8192, 256, 512], col = [2, 4, 8, 16, 32, 64, 128], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
//
// V by column: within 16 lanes, lane 4j + x takes 8 bytes of row j, columns 4x; lane
// bit 4 is column 16. A phase is 32 lanes of 8 bytes: columns 4, 8 are 2 and 4 banks
// on, column 16 is 8 banks on, so keys 1 and 2 must lie 16 and 32 banks on (either
// way round): 1024 + 64 = 1088 bytes are 272 = 16 banks, twice that 32. Pads of 16,
// 32 and 48 bytes are 4, 8 and 12 banks, which columns 8 and 16 have. The rows that
// share a line must not be 1 or 2 (both would be in bank 0), so they are the next,
// 4 and 8. 16 * 1088 = 17408 bytes.
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [1024, 2048, 256, 512, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128], line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 64, bytes = 17408, conflict_ways = 1>
//
// The copy is the inverse: elements and lanes of one load fill a line in its order,
// 8 elements, then 16 lanes along a row, then the rows that share the line. The
// first lines go to the 4 waves, the rest are further loads: 16 / 4 = 4 of them, 2
// bits. Each row is read whole: 256 bytes are 2 cache lines of 128.
// CHECK-DAG: #[[KDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [16, 0], [32, 0]], wave = {{\[\[}}1, 0], [2, 0]]>
// CHECK-DAG: #[[VDMA:.*]] = #fmha.lane_layout<fragment = 8, reg = {{\[\[}}0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [4, 0], [8, 0]], wave = {{\[\[}}1, 0], [2, 0]]>
//
// Buffers in the order of the loads, at multiples of 128 bytes: 0 and
// 16640 = 130 * 128.
// CHECK: fmha.kernel
// CHECK-DAG: %[[K:.*]] = fmha.lds_buffer k : !fmha.lds<64x128xbf16, 0, #[[KLDS]]>
// CHECK-DAG: %[[V:.*]] = fmha.lds_buffer v : !fmha.lds<64x128xbf16, 16640, #[[VLDS]]>
//
// The copy stands where the load was, the read before the first use.
// CHECK: fmha.kv_loop %[[T:.*]] =
// CHECK-NEXT: {{.*}} = fmha.rows k %{{.*}}, %[[T]] :
// CHECK-NEXT: %[[TK:.*]] = fmha.copy k %{{.*}} into %[[K]] dma(#[[KDMA]])
// CHECK-NEXT: {{.*}} = fmha.rows v %{{.*}}, %[[T]] :
// CHECK-NEXT: %[[TV:.*]] = fmha.copy v %{{.*}} into %[[V]] dma(#[[VDMA]])
// CHECK-NEXT: %[[KT:.*]] = fmha.read k %[[K]] after %[[TK]] {{.*}} -> !fmha.tile<64x128xbf16, #{{.*}}>
// CHECK-NEXT: %{{.*}}:16 = fmha.to_lanes %[[KT]]
// CHECK-NEXT: %[[VT:.*]] = fmha.read v %[[V]] after %[[TV]]
// CHECK-NEXT: %{{.*}}:16 = fmha.to_lanes %[[VT]]
// CHECK-NOT: fmha.load_{{[kv]}} %
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, layout = padded>, v = <read = column, max_pad_bytes = 64, layout = padded>,
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
    // A copy of 1024 bytes takes 16 cycles at 64 bytes a cycle; 4 of them. One register has
    // the lanes' part of an address for all reads, one for all copies.
    // expected-remark @+1 {{k has LDS layout padded: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16640 bytes; the schedule asks for it}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has LDS layout padded: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 17408 bytes; the schedule asks for it}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    %a:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    %b:16 = fmha.to_lanes %v : !fmha.tile<64x128xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
