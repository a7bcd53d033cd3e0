// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// K of 16 of 32 columns: matrix instructions take columns in steps of qk.k = 16, and the
// copy of columns 16 to 31 is not issued.
// CHECK-LABEL: fmha.kernel @whole_step
// CHECK: rocdl.make.buffer.rsrc
// CHECK-NOT: arith.select
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
//
// 24 of 32: the last step takes columns 16 to 31. Those from 24 on have to be zero, which
// they are because the lanes that copy them, at columns 16 + 8, read past every extent:
// lane column 0 or 8 below 24 - (0 + 16) = 8 is inside. Waves hold rows, column 0.
// CHECK-LABEL: fmha.kernel @some
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[OFF:.*]] = arith.addi
// CHECK-NOT: arith.select
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: %[[REST:.*]] = arith.constant 8 : i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[REST]], %{{.*}} : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[COL]], %[[LEFT]] : i32
// CHECK: %[[PAST:.*]] = arith.constant -16 : i32
// CHECK: %[[AT:.*]] = arith.select %[[IN]], %{{.*}}, %[[PAST]] : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %{{.*}}, %{{.*}}, %{{.*}}, %[[AT]], %{{.*}}, %{{.*}}, %{{.*}}
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
//
// V of 16 of 32: instructions take chunks of pv.m = 32 columns, so that both copies are
// issued, the second of zeros only.
// CHECK-LABEL: fmha.kernel @chunk
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: arith.select
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Lines of 32 rows and 16 columns, 32 * 32 = 1024 bytes; rows 32 on at 1024, columns 16
// on at 2048. The wave chooses the rows, a further load the columns.
#lds = #fmha.lds_layout<row = [32, 64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 2048],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = [[32, 0]]>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
fmha.kernel @whole_step problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %k = fmha.lds_buffer k : !buffer
  %view = fmha.view k : !fmha.view<16, bf16>
  %at0 = fmha.rows k %view, %t : !fmha.view<16, bf16>
  %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<16, bf16>, !buffer
}
fmha.kernel @some problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %k = fmha.lds_buffer k : !buffer
  %view = fmha.view k : !fmha.view<24, bf16>
  %at1 = fmha.rows k %view, %t : !fmha.view<24, bf16>
  %0 = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<24, bf16>, !buffer
}
fmha.kernel @chunk problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %v = fmha.lds_buffer v : !buffer
  %view = fmha.view v : !fmha.view<16, bf16>
  %at2 = fmha.rows v %view, %t : !fmha.view<16, bf16>
  %0 = fmha.copy v %at2 into %v dma(#dma) : !fmha.rows<16, bf16>, !buffer
}
