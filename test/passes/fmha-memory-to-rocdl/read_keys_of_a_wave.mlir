// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Two waves divide the keys of a tile: wave 1 reads 2048 bytes, 32 rows, further than wave 0. Its number stands above
// that of the lane, as bit 6.
// CHECK: %[[LANE:.*]] = fmha.id lane
// CHECK: %[[WAVE:.*]] = fmha.id wave
// CHECK: %[[ABOVE:.*]] = arith.muli %[[WAVE]], %{{.*}}
// CHECK: %[[ID:.*]] = arith.addi %[[LANE]], %[[ABOVE]]
// CHECK: %[[C6:.*]] = arith.constant 6 : i32
// CHECK: %[[BIT:.*]] = arith.shrui %[[ID]], %[[C6]] : i32
// CHECK: %[[ONE:.*]] = arith.andi %[[BIT]], %c1_i32{{.*}} : i32
// CHECK: %[[BYTES:.*]] = arith.constant 2048 : i32
// CHECK: arith.muli %[[ONE]], %[[BYTES]]
// CHECK: llvm.load {{.*}} vector<8xbf16>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 4>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[32, 0]]>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
!kv = !fmha.tile<64x32xbf16, #k>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%token: !fmha.token):
  %k = fmha.lds_buffer k : !buffer
  %tile = fmha.read k %k after %token : !buffer -> !kv
  %l:2 = fmha.to_lanes %tile : !kv -> vector<8xbf16>, vector<8xbf16>
}
