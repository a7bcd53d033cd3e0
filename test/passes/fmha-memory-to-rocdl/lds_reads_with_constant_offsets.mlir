// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// K by 16 bytes. The lane's address is a sum over its bits: key 1, 2, 4, 8 at 64 ..
// 512, key 16 at 1040, column 8 at 16 bytes.
// CHECK-DAG: #[[SV:.*]] = #llvm.alias_scope<{{.*}} description = "v">
// CHECK-DAG: #[[SK:.*]] = #llvm.alias_scope<{{.*}} description = "k">
// CHECK: %[[LDS:.*]] = fmha.lds_base
// CHECK: arith.constant 15 : i32
// CHECK: arith.constant 64 : i32
// CHECK: arith.constant 4 : i32
// CHECK: arith.shrui
// CHECK: arith.constant 1040 : i32
// CHECK: arith.constant 5 : i32
// CHECK: arith.shrui
// CHECK: arith.constant 16 : i32
// CHECK: %[[BASE:.*]] = llvm.getelementptr %[[LDS]][%{{.*}}]
//
// Buffer at 128. Fragments: columns 16 on are 32 bytes, keys 32 on are 2080.
// CHECK: %[[A0:.*]] = llvm.getelementptr %[[BASE]][128]
// CHECK: %[[K0:.*]] = llvm.load %[[A0]] {alias_scopes = [#[[SK]]], alignment = 16 : i64, noalias_scopes = [#[[SV]]]} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: %[[A1:.*]] = llvm.getelementptr %[[BASE]][160]
// CHECK: %[[K1:.*]] = llvm.load %[[A1]]
// CHECK: %[[A2:.*]] = llvm.getelementptr %[[BASE]][2208]
// CHECK: %[[K2:.*]] = llvm.load %[[A2]]
// CHECK: %[[A3:.*]] = llvm.getelementptr %[[BASE]][2240]
// CHECK: %[[K3:.*]] = llvm.load %[[A3]]
// CHECK-NOT: llvm.load
// CHECK: fmha.from_lanes %[[K0]], %[[K1]], %[[K2]], %[[K3]]
//
// V by transposing reads. Within 16 lanes, lane 4j + x takes columns 4x .. 4x + 3 of
// row j: x is 8 bytes, j is key 1, 2 at 64 bytes. Lane bit 4 is column 16, 32 bytes;
// lane bit 5 is key 4, 256 bytes.
// CHECK: arith.constant 3 : i32
// CHECK: arith.constant 8 : i32
// CHECK: arith.constant 2 : i32
// CHECK: arith.shrui
// CHECK: arith.constant 64 : i32
// CHECK: arith.constant 4 : i32
// CHECK: arith.shrui
// CHECK: arith.constant 32 : i32
// CHECK: arith.constant 5 : i32
// CHECK: arith.shrui
// CHECK: arith.constant 256 : i32
// CHECK: %[[VB:.*]] = llvm.getelementptr %[[LDS]][%{{.*}}]
//
// Buffer at 4352; keys 8, 16, 32 on are 512, 1040, 2080 bytes. A fragment of 8 is
// two reads of 4: keys 0..3 and 8..11 of the half.
// CHECK: %[[B0:.*]] = llvm.getelementptr %[[VB]][4352]
// CHECK: %[[V0:.*]] = rocdl.ds.read.tr16.b64 %[[B0]] {alias_scopes = [#[[SV]]], noalias_scopes = [#[[SK]]]} : <3> -> vector<4xbf16>
// CHECK: %[[B1:.*]] = llvm.getelementptr %[[VB]][4864]
// CHECK: %[[V1:.*]] = rocdl.ds.read.tr16.b64 %[[B1]]
// CHECK: %[[F0:.*]] = vector.shuffle %[[V0]], %[[V1]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: llvm.getelementptr %[[VB]][5392]
// CHECK: rocdl.ds.read.tr16.b64
// CHECK: llvm.getelementptr %[[VB]][5904]
// CHECK: rocdl.ds.read.tr16.b64
// CHECK: %[[F1:.*]] = vector.shuffle
// CHECK: llvm.getelementptr %[[VB]][6432]
// CHECK: rocdl.ds.read.tr16.b64
// CHECK: llvm.getelementptr %[[VB]][6944]
// CHECK: rocdl.ds.read.tr16.b64
// CHECK: %[[F2:.*]] = vector.shuffle
// CHECK: llvm.getelementptr %[[VB]][7472]
// CHECK: rocdl.ds.read.tr16.b64
// CHECK: llvm.getelementptr %[[VB]][7984]
// CHECK: rocdl.ds.read.tr16.b64
// CHECK: %[[F3:.*]] = vector.shuffle
// CHECK-NOT: {{rocdl.ds.read|vector.shuffle}}
// CHECK: fmha.from_lanes %[[F0]], %[[F1]], %[[F2]], %[[F3]] :
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
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%tk: !fmha.token, %tv: !fmha.token):
  %k = fmha.lds_buffer k : !k
  %v = fmha.lds_buffer v : !v
  %0 = fmha.read k %k after %tk : !k -> !fmha.tile<64x32xbf16, #k>
  %1:4 = fmha.to_lanes %0 : !fmha.tile<64x32xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
  %2 = fmha.read v %v after %tv : !v -> !fmha.tile<64x32xbf16, #v>
  %3:4 = fmha.to_lanes %2 : !fmha.tile<64x32xbf16, #v> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
