// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// The first half of four fragments, then the other two onto it: keys 32 on, 2080 bytes
// further, at 128 + 2080 and 16 columns, 32 bytes, after that.
// CHECK: llvm.getelementptr %{{.*}}[128]
// CHECK: %[[K0:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[160]
// CHECK: %[[K1:.*]] = llvm.load
// CHECK-NOT: llvm.load
// CHECK: %[[SOME:.*]] = fmha.from_lanes %[[K0]], %[[K1]], %{{.*}}, %{{.*}}
// CHECK: %[[BEFORE:.*]]:4 = fmha.to_lanes %[[SOME]]
// CHECK: llvm.getelementptr %{{.*}}[2208]
// CHECK: %[[K2:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[2240]
// CHECK: %[[K3:.*]] = llvm.load
// CHECK-NOT: llvm.load
// CHECK: fmha.from_lanes %[[BEFORE]]#0, %[[BEFORE]]#1, %[[K2]], %[[K3]]
// A quarter of V is one fragment, two reads.
// CHECK-COUNT-2: rocdl.ds.read.tr16.b64
// CHECK-NOT: rocdl.ds.read
// CHECK-NOT: fmha.read

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line of 1024, lines padded by 16: 4 * 1040 = 4160
// bytes.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 4160, conflict_ways = 1>
// 4 lanes along a row, 16 rows; the wave chooses the line, 32 keys on the next load.
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!k = !fmha.lds<64x32xbf16, 128, #lds>
!v = !fmha.lds<64x32xbf16, 4352, #lds>
!view = !fmha.view<32, bf16>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!kt = !fmha.tile<64x32xbf16, #k>
!vt = !fmha.tile<64x32xbf16, #v>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%tk: !fmha.token, %tv: !fmha.token):
  %k = fmha.lds_buffer k : !k
  %v = fmha.lds_buffer v : !v
  %0 = fmha.read k %k after %tk part <0 to 1 of 2> : !k -> !kt
  %1 = fmha.read k %k after %tk part <1 to 2 of 2> onto %0 : !kt : !k -> !kt
  %2:4 = fmha.to_lanes %1 : !kt -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
  %3 = fmha.read v %v after %tv part <3 to 4 of 4> : !v -> !vt
  %4:4 = fmha.to_lanes %3 : !vt -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
