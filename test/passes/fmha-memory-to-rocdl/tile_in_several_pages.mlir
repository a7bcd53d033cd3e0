// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Pages of 32 hold the 16 keys of a copy, which are the lanes'. Their numbers come by scalar loads,
// one for each 32 of the keys that a wave has: keys 64 t and 64 t + 32, or the last one.
// CHECK-LABEL: fmha.kernel @shared
// CHECK: %[[TILE:.*]] = arith.muli %arg0, %c64_i32{{.*}} : i32
// CHECK: %[[IN0:.*]] = arith.minsi %{{.*}}, %{{.*}} : i32
// CHECK: %[[E0:.*]] = arith.divui %[[IN0]], %c32_i32{{.*}} : i32
// CHECK: %[[N0:.*]] = llvm.load %{{.*}} invariant {{.*}} : !llvm.ptr<4> -> i32
// CHECK: %[[OF32:.*]] = arith.xori %{{.*}}, %c32_i32{{.*}} : i32
// CHECK: %[[KEY32:.*]] = arith.addi %[[TILE]], %[[OF32]] : i32
// CHECK: %[[IN32:.*]] = arith.minsi %[[KEY32]], %{{.*}} : i32
// CHECK: %[[E32:.*]] = arith.divui %[[IN32]], %c32_i32{{.*}} : i32
// CHECK: %[[N32:.*]] = llvm.load %{{.*}} invariant {{.*}} : !llvm.ptr<4> -> i32
// CHECK-NOT: rocdl.raw.ptr.buffer.load %
// Each has a descriptor, with which two of the copies go: rows 0 and 16 of it.
// CHECK: %[[RSRC0:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[ROW0:.*]] = arith.andi %{{.*}}, %c31_i32{{.*}} : i32
// CHECK: arith.muli %[[ROW0]],
// CHECK: rocdl.raw.ptr.buffer.load.lds %[[RSRC0]],
// CHECK: %[[ROW16:.*]] = arith.andi %{{.*}}, %c31_i32{{.*}} : i32
// CHECK: arith.muli %[[ROW16]],
// CHECK: rocdl.raw.ptr.buffer.load.lds %[[RSRC0]],
// CHECK: %[[GROUP:.*]] = arith.andi %{{.*}}, %c-32_i32{{.*}} : i32
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[GROUP]] : i32
// CHECK: arith.remui %[[FIRST]], %c32_i32{{.*}} : i32
// CHECK: %[[RSRC32:.*]] = rocdl.make.buffer.rsrc
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.load.lds %[[RSRC32]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds

// Of pages of 8 the number of each key's: entries past those of the sequence are beyond the
// table's descriptor. K's address of a lane is that of the page and of the row there, one
// multiplication of the number and one that stays the same.
// CHECK-LABEL: fmha.kernel @by_lane
// CHECK: %[[ROUNDED:.*]] = arith.addi %{{.*}}, %c7_i32{{.*}} : i32
// CHECK: %[[PAGES:.*]] = arith.divui %[[ROUNDED]], %c8_i32{{.*}} : i32
// CHECK: %[[PAGES64:.*]] = arith.extui %[[PAGES]] : i32 to i64
// CHECK: %[[EXTENT:.*]] = arith.muli %[[PAGES64]], %c4_i64{{.*}} : i64
// CHECK: %[[TABLE:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[EXTENT]],
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load %[[TABLE]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load %
// CHECK: %[[LANEROW:.*]] = arith.andi %{{.*}}, %c15_i32{{.*}} : i32
// CHECK: %[[INPAGE:.*]] = arith.remui %[[LANEROW]], %c8_i32{{.*}} : i32
// CHECK: fmha.arg k_page_stride : i64
// CHECK: %[[STRIDE32:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[NUMBER:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[STRIDE:.*]] = arith.extui %[[STRIDE32]] : i32 to i64
// CHECK: %[[PBYTES:.*]] = arith.muli %[[NUMBER]], %[[STRIDE]] : i64
// CHECK: %[[PLACE:.*]] = arith.addi %[[PBYTES]], %{{.*}} : i64
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[PLACE]], %{{.*}} : i64
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<1>
// CHECK: rocdl.global.load.lds %[[POINTER]], %{{.*}}, 16, 0, 0
// CHECK-COUNT-3: rocdl.global.load.lds %
// CHECK-NOT: rocdl.global.load.lds

// V's of a key past the last is that of zeros, and so is that of a column past 24, of 32.
// CHECK-LABEL: fmha.kernel @zeros
// CHECK: %[[BYTES:.*]] = fmha.zeros 16
// CHECK: %[[ZEROS:.*]] = llvm.inline_asm {{.*}} %[[BYTES]]
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[ISKEY:.*]] = arith.cmpi slt, %{{.*}}, %[[LEFT]] : i32
// CHECK: %[[ISCOL:.*]] = arith.cmpi slt, %{{.*}}, %c24_i32{{.*}} : i32
// CHECK: %[[ISTHERE:.*]] = arith.andi %[[ISKEY]], %[[ISCOL]] : i1
// CHECK: %[[THERE:.*]] = arith.select %[[ISTHERE]], %{{.*}}, %[[ZEROS]] : i64
// CHECK: %[[V:.*]] = llvm.inttoptr %[[THERE]] : i64 to !llvm.ptr<1>
// CHECK: rocdl.global.load.lds %[[V]],

#shared = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 32>
#by_lane = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 8>
#zeros = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 24, mask = none, lengths_kv = true, pages = table, page_size = 8>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#keys = #fmha.lane_layout<fragment = 1, reg = [[16], [32]], lane = [[0], [0], [1], [2], [4], [8]], wave = []>
!pages = !fmha.tile<64xi32, #keys>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
fmha.kernel @shared problem(#shared) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !pages
  %rows = fmha.rows k %view, %t at %page : !pages : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
}
fmha.kernel @by_lane problem(#by_lane) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !pages
  %rows = fmha.rows k %view, %t at %page : !pages : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
}
fmha.kernel @zeros problem(#zeros) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view v : !fmha.view<24, bf16>
  %k = fmha.lds_buffer v : !buffer
  %page = fmha.look_up v %table, %t : !fmha.view<1, i32> -> !pages
  %rows = fmha.rows v %view, %t at %page : !pages : !fmha.view<24, bf16>
  %0 = fmha.copy v %rows into %k dma(#dma) : !fmha.rows<24, bf16>, !buffer
}
