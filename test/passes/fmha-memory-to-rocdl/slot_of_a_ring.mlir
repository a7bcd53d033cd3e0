// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Buffers 4480 - 128 = 4352 bytes apart: the number of the tile, modulo two, times that is
// added to the uniform address of copies and to the address of a lane that reads; constant
// offsets stay those of the first buffer. Reads from a slot alias no copy at all, as waits
// and barriers order them; copies stand for every buffer of the ring.
// CHECK-DAG: #[[K0:.*]] = #llvm.alias_scope<{{.*}}description = "k">
// CHECK-DAG: #[[K1:.*]] = #llvm.alias_scope<{{.*}}description = "k">
// CHECK-DAG: #[[V:.*]] = #llvm.alias_scope<{{.*}}description = "v">
// CHECK-DAG: #[[READS:.*]] = #llvm.alias_scope<{{.*}}description = "reads">
// CHECK: ^bb0(%[[N:[a-z0-9]+]]: i32
// CHECK: %[[TURN:.*]] = arith.remui %[[N]], %c2
// CHECK: %[[BYTES:.*]] = arith.muli %[[TURN]], %c4352
// CHECK: arith.addi %{{.*}}, %[[BYTES]] :
// CHECK: rocdl.raw.ptr.buffer.load.lds {{.*}}{alias_scopes = [#[[K0]], #[[K1]]], noalias_scopes = [#[[READS]], #[[V]]]}
// CHECK: rocdl.raw.ptr.buffer.load.lds {{.*}}{alias_scopes = [#[[K0]], #[[K1]]], noalias_scopes = [#[[READS]], #[[V]]]}
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
// CHECK: %[[LANE:.*]] = arith.addi %{{.*}}, %[[BYTES]] :
// CHECK: %[[BASE:.*]] = llvm.getelementptr %{{.*}}[%[[LANE]]]
// A fragment is 16 columns, 32 bytes, from the next, and 32 rows, two lines with padding.
// CHECK: %[[AT0:.*]] = llvm.getelementptr %[[BASE]][128]
// CHECK: llvm.load %[[AT0]] {alias_scopes = [#[[READS]]], alignment = 16 : i64, noalias_scopes = [#[[K0]], #[[K1]], #[[V]]]}
// CHECK: %[[AT1:.*]] = llvm.getelementptr %[[BASE]][160]
// CHECK: llvm.load %[[AT1]] {alias_scopes = [#[[READS]]], alignment = 16 : i64, noalias_scopes = [#[[K0]], #[[K1]], #[[V]]]}
// CHECK: %[[AT2:.*]] = llvm.getelementptr %[[BASE]][2208]
// CHECK: llvm.load %[[AT2]] {alias_scopes = [#[[READS]]], alignment = 16 : i64, noalias_scopes = [#[[K0]], #[[K1]], #[[V]]]}
// CHECK: %[[AT3:.*]] = llvm.getelementptr %[[BASE]][2240]
// CHECK: llvm.load %[[AT3]] {alias_scopes = [#[[READS]]], alignment = 16 : i64, noalias_scopes = [#[[K0]], #[[K1]], #[[V]]]}
// CHECK-NOT: llvm.load
// CHECK-NOT: fmha.ring_slot

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
!k1 = !fmha.lds<64x32xbf16, 4480, #lds>
!v = !fmha.lds<64x32xbf16, 8704, #lds>
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
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%n: i32, %t: i32):
  %k = fmha.lds_buffer k : !k
  %k1 = fmha.lds_buffer k : !k1
  %v = fmha.lds_buffer v : !v
  %view = fmha.view k : !view
  %slot = fmha.ring_slot %n of %k, %k1 : !k, !k1
  %at0 = fmha.rows k %view, %t : !view
  %token = fmha.copy k %at0 into %slot dma(#dma) : !fmha.rows<32, bf16>, !k
  %0 = fmha.read k %slot after %token : !k -> !kt
  %1:4 = fmha.to_lanes %0 : !kt -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
