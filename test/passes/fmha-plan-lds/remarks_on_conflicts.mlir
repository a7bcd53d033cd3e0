// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// Lanes that take keys 16 and 8, columns 64 and 32, and key 4, in this order of their
// bits. With whole rows on end columns 32 and 64 are bits 6 and 7 of the address; keys are multiples
// of 256 bytes, bank 0. Of the phase of lanes 0-3, 12-15, 20-27 bits 0 and 1 of the lane make no
// difference: four lanes for each of four banks. With 16 bytes a row instead keys 4 and 8
// would be bits 6 and 7, and key 16 none: four ways, too, and slower copies.
// CHECK: #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096], {{.*}} conflict_ways = 4>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0, layout = identity>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [1, 0], [2, 0]],
  lane = [[16, 0], [8, 0], [0, 64], [0, 32], [4, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %kv, %t : !fmha.view<128, bf16>
    // expected-remark @+1 {{k has LDS layout identity: bank conflicts of 4 ways, 32 cycles of the vector cache a wave and tile, 2 address registers, 8192 bytes; the schedule asks for it}}
    %k = fmha.load k %at0 : !fmha.rows<128, bf16> -> !fmha.tile<32x128xbf16, #k>
    fmha.yield
  }
}
