// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds | FileCheck %s

// Tiles of 32 x 32 elements are 2048 bytes; 4 waves. Lines of 1024 bytes would be two, and
// two waves would write the same bytes: dwords make lines of 256 bytes, two for each wave.
// Rows are 64 bytes. V is free of conflicts as it is; of K, keys 4 and 8, bits 8 and 9 of the
// address, are exclusive-ored into 4 and 5, so that they come with columns 8 and 16.
// CHECK-DAG: #[[V:.*]] = #fmha.lane_layout<fragment = 2, reg = {{.*}}, wave = {{\[\[}}4, 0], [8, 0]]>
// CHECK-DAG: #[[K:.*]] = #fmha.lane_layout<fragment = 2, reg = {{.*}}, wave = {{\[\[}}4, 8], [8, 16]]>
// CHECK: fmha.copy v {{.*}} dma(#[[V]])
// CHECK: fmha.copy k {{.*}} dma(#[[K]])
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 0>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<32, bf16>, %vv: !fmha.view<32, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows v %vv, %t : !fmha.view<32, bf16>
    %v = fmha.load v %at0 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16, #v>
    %at1 = fmha.rows k %kv, %t : !fmha.view<32, bf16>
    %k = fmha.load k %at1 : !fmha.rows<32, bf16> -> !fmha.tile<32x32xbf16, #k>
    rocdl.s.barrier
    %a:2 = fmha.to_lanes %k : !fmha.tile<32x32xbf16, #k> -> vector<8xbf16>, vector<8xbf16>
    fmha.yield
  }
}
