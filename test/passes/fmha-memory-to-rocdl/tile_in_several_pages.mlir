// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Of a tile that lies in several pages the number of each key's: entries past those of the sequence
// are beyond the table's descriptor. Keys r and r + 16 of a lane lie in one page of 32: one load each.
// CHECK: fmha.arg page_table : i64
// CHECK: %[[ROUNDED:.*]] = arith.addi %{{.*}}, %c31_i32 : i32
// CHECK: %[[PAGES:.*]] = arith.divui %[[ROUNDED]], %c32_i32 : i32
// CHECK: %[[PAGES64:.*]] = arith.extui %[[PAGES]] : i32 to i64
// CHECK: %[[EXTENT:.*]] = arith.muli %[[PAGES64]], %c4_i64 : i64
// CHECK: %[[TABLE:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[EXTENT]],
// CHECK: %[[ALL:.*]] = arith.constant 4294967280 : i64
// CHECK: %[[CACHE:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[ALL]],
// CHECK: %[[E0:.*]] = arith.divui %{{.*}}, %c32_i32{{.*}} : i32
// CHECK: %[[O0:.*]] = arith.muli %[[E0]], %c4_i32{{.*}} : i32
// CHECK: %[[N0:.*]] = rocdl.raw.ptr.buffer.load %[[TABLE]], %[[O0]],
// CHECK: %[[E32:.*]] = arith.divui %{{.*}}, %c32_i32{{.*}} : i32
// CHECK: %[[O32:.*]] = arith.muli %[[E32]], %c4_i32{{.*}} : i32
// CHECK: %[[N32:.*]] = rocdl.raw.ptr.buffer.load %[[TABLE]], %[[O32]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load %[[TABLE]],
// CHECK: amdgpu.sched_barrier

// A lane's offset is that of its page and of its row there; of a row past the last key it is past
// every extent.
// CHECK: %[[STRIDE64:.*]] = fmha.arg k_page_stride : i64
// CHECK: %[[STRIDE:.*]] = arith.trunci %[[STRIDE64]] : i64 to i32
// CHECK: %[[KEY:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[INPAGE:.*]] = arith.remui %[[KEY]], %c32_i32{{.*}} : i32
// CHECK: %[[PBYTES:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[RBYTES:.*]] = arith.muli %[[INPAGE]], %{{.*}} : i32
// CHECK: %[[ROW:.*]] = arith.addi %[[PBYTES]], %[[RBYTES]] : i32
// CHECK: %[[OFFSET:.*]] = arith.addi %[[ROW]], %{{.*}} : i32
// CHECK: %[[KEYS:.*]] = fmha.seq_len kv : i32
// CHECK: %[[ISKEY:.*]] = arith.cmpi slt, %[[KEY]], %[[KEYS]] : i32
// CHECK: %[[PAST:.*]] = arith.constant -16 : i32
// CHECK: %[[LANE:.*]] = arith.select %[[ISKEY]], %[[OFFSET]], %[[PAST]] : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %[[CACHE]], %{{.*}}, %{{.*}}, %[[LANE]],
// CHECK-COUNT-3: rocdl.raw.ptr.buffer.load.lds %[[CACHE]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 32>
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
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> !pages
  %rows = fmha.rows k %view, %t at %page : !pages : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
}
