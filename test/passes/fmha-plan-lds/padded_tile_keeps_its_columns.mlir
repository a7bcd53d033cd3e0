// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds | FileCheck %s

// 24 of 32 columns are data: the buffer has all 32, as a line of 1024 bytes is cut by
// powers of two, 64 * 32 * 2 = 4096 bytes and no more than 4 * 64 of padding; what is read
// back still says how many are data.
// CHECK: fmha.lds_buffer k : !fmha.lds<64x32xbf16, 0, #{{.*}}>
// CHECK: %[[T:.*]] = fmha.copy k {{.*}} : !fmha.rows<24, bf16>, !fmha.lds<64x32xbf16, 0, #{{.*}}>
// CHECK: fmha.read k %{{.*}} after %[[T]] : !fmha.lds<64x32xbf16, 0, #{{.*}}> -> !fmha.tile<64x32xbf16, cols = 24, #{{.*}}>
// CHECK-NEXT: fmha.to_lanes

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 24, head_dim_v = 24, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
!k = !fmha.tile<64x32xbf16, cols = 24, #k>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<24, bf16>, %t: i32):
  %at0 = fmha.rows k %view, %t : !fmha.view<24, bf16>
  %k = fmha.load k %at0 : !fmha.rows<24, bf16> -> !k
  %l:4 = fmha.to_lanes %k : !k -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
