// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics

// By what the cheapest layout comes before the next: what weighs most of that in which the
// two differ. Fewer bytes and the simpler form: cheapest_of_all_families.mlir, which has
// these tiles with padding. Without any, bits 4 to 7 of the address of K have to be keys
// (prefers_no_conflicts_to_cache_lines.mlir), so that four lanes of a copy, which the cache
// takes at once, have as many rows: 4 cycles for each of 16 such groups of 4 copies, unless
// these bits are columns that keys are exclusive-ored into. V in the order of a permutation
// needs no register more than two.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
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
    // expected-remark @+1 {{k has LDS layout xor: no bank conflicts, 64 cycles of the vector cache a wave and tile, 5 address registers, 16384 bytes; before permuted for whole cache lines: no bank conflicts, 256 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #k>
    %at1 = fmha.rows v %vv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{v has LDS layout permuted: no bank conflicts, 64 cycles of the vector cache a wave and tile, 2 address registers, 16384 bytes; before xor for fewer address registers: no bank conflicts, 64 cycles of the vector cache a wave and tile, 3 address registers, 16384 bytes}}
    %v = fmha.load v %at1 : !fmha.rows<128, bf16> -> !fmha.tile<64x128xbf16, #v>
    fmha.yield
  }
}

// -----

// Bits 4 to 7 of the address choose the bank of 16 bytes. Lanes that are served together
// (0 to 3, 12 to 15, 20 to 27, ISA guide) differ in columns 32 and 8, and in two of row 4,
// column 16, row 2 at once: columns 8, 16, 32 and one of the rows have to choose banks.
// Permuted, a line has that row there and all 128 columns of its rows. Exclusive-or would put it on
// column 64, the other read's, so that lanes have its bit: a register. Instead it has lines of
// 64 columns. 2 copies of 1024 bytes, 16 cycles each.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 16>, pv = <m = 16, n = 16, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 64]],
  lane = [[0, 32], [0, 8], [4, 0], [0, 16], [2, 0], [1, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<128, bf16>, %t: i32):
  %at2 = fmha.rows k %view, %t : !fmha.view<128, bf16>
  // expected-remark @+1 {{k has LDS layout permuted: no bank conflicts, 32 cycles of the vector cache a wave and tile, 2 address registers, 2048 bytes; before xor for longer runs of columns: no bank conflicts, 32 cycles of the vector cache a wave and tile, 2 address registers, 2048 bytes}}
  %k = fmha.load k %at2 : !fmha.rows<128, bf16> -> !fmha.tile<8x128xbf16, #k>
}

// -----

// Two waves, 1024 bytes: copies of a dword a lane, lines of 256 bytes, all banks once. The
// 32 lanes that are served together, 8 bytes each, have columns 4 and 8, rows 1 and 2 and
// column 32. On end, runs of 16, 32, or 64 columns put one of these past a line, and bits 3
// to 7 have one that these lanes do not: two ways. Whole rows with row 2 exclusive-ored
// into the bit of column 16 have none. A permuted line with column 32 has no room for row
// 2. 2 copies a wave, 4 cycles each.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 16>, pv = <m = 16, n = 16, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [4, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 16]], wave = [[0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<64, bf16>, %t: i32):
  %at3 = fmha.rows v %view, %t : !fmha.view<64, bf16>
  // expected-remark @+1 {{v has LDS layout xor: no bank conflicts, 8 cycles of the vector cache a wave and tile, 2 address registers, 1024 bytes; before identity for fewer bank conflicts: bank conflicts of 2 ways, 8 cycles of the vector cache a wave and tile, 2 address registers, 1024 bytes}}
  %v = fmha.load v %at3 : !fmha.rows<64, bf16> -> !fmha.tile<8x64xbf16, #v>
}
