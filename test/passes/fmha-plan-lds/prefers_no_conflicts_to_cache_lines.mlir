// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// Pieces of whole rows side by side, nothing else. Fewest conflicts come first: K of 64
// keys has one layout without, lines of 64 pieces of 16 bytes from as many rows: keys 1, 2, 4, 8 lie
// 16 .. 128 bytes on, banks 4, 8, 16, 32. Pieces of 32 bytes would put keys 1, 2, 4
// on banks 8, 16, 32 and key 8 on bank 0. The price is memory: 16 bytes of a row a
// time, not whole cache lines of 128. A copy touches 64 of these, 2 cycles each; 4 copies of
// a wave take 4 * 128 cycles.
// 16 columns-of-8 make 16 lines: 1024 bytes each, 16384.
// CHECK-DAG: #[[KLDS:.*]] = #fmha.lds_layout<row = [16, 32, 64, 128, 256, 512], col = [2, 4, 8, 1024, 2048, 4096, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
//
// V: keys 1 and 2 must lie 16 and 32 banks on, 64 and 128 bytes: pieces of 64 bytes,
// 32 columns, are the longest that do. 16 rows of 64 bytes a line, 4 columns-of-32 *
// 4 rows-of-16 = 16 lines.
// CHECK-DAG: #[[VLDS:.*]] = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32, 4096, 8192], line_bytes = 1024, bytes = 16384, conflict_ways = 1>
// CHECK-DAG: fmha.lds_buffer k : !fmha.lds<64x128xbf16, 0, #[[KLDS]]>
// CHECK-DAG: fmha.lds_buffer v : !fmha.lds<64x128xbf16, 16384, #[[VLDS]]>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, layout = identity>, v = <read = column, max_pad_bytes = 0, layout = identity>,
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
    // expected-remark @+1 {{k has LDS layout identity: no bank conflicts, 512 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes; the schedule asks for it}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has LDS layout identity: no bank conflicts, 128 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes; the schedule asks for it}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    fmha.yield
  }
}
