// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// The number of a tile's page by a scalar load: of tile t entry 64 t / 192 of the sequence's row of
// the table, of one past the last key that of the last. Without a key an address that is there.
// CHECK: %[[KEYS:.*]] = fmha.seq_len kv : i32
// CHECK: %[[TSTRIDE:.*]] = fmha.arg page_table_batch_stride : i64
// CHECK: %[[OFF:.*]] = arith.muli %{{.*}}, %[[TSTRIDE]] : i64
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[KEYS]], %c0_i32 : i32
// CHECK: %[[TABLE:.*]] = fmha.arg page_table : i64
// CHECK: %[[ROW:.*]] = arith.addi %[[TABLE]], %[[OFF]] : i64
// CHECK: %[[LENGTHS:.*]] = fmha.arg seqlens_kv : i64
// CHECK: %[[FIRST:.*]] = arith.select %[[ANY]], %[[ROW]], %[[LENGTHS]] : i64
// CHECK: %[[K:.*]] = fmha.arg k : i64
// CHECK: fmha.arg k_head_stride : i64
// CHECK: %[[HEAD:.*]] = arith.muli
// CHECK: %[[CACHE:.*]] = arith.addi %[[K]], %[[HEAD]] : i64
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i32 : i32
// CHECK: %[[KEY:.*]] = arith.muli %arg0, %c64_i32 : i32
// CHECK: %[[IN:.*]] = arith.minsi %[[KEY]], %[[LAST]] : i32
// CHECK: %[[ENTRY:.*]] = arith.divui %[[IN]], %c192_i32{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[ENTRY]] : i32 to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c4_i64{{.*}} : i64
// CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[BYTES]] : i64
// CHECK: %[[P:.*]] = llvm.inttoptr %[[AT]] : i64 to !llvm.ptr<4>
// LLVM leaves a volatile load where it stands, and nothing crosses it.
// CHECK: %[[PAGE:.*]] = llvm.load volatile %[[P]] {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>

// Its descriptor begins at row 64 t % 192 of the page, in 64 bits, and has the rows that the
// sequence has left, 64 at most.
// CHECK: %[[ROW0:.*]] = arith.muli %arg0, %c64_i32{{.*}} : i32
// CHECK: %[[INPAGE:.*]] = arith.remui %[[ROW0]], %c192_i32{{.*}} : i32
// CHECK: %[[RSTRIDE:.*]] = fmha.arg k_row_stride : i64
// CHECK: %[[PAGE64:.*]] = arith.extui %[[PAGE]] : i32 to i64
// CHECK: %[[PSTRIDE:.*]] = fmha.arg k_page_stride : i64
// CHECK: %[[PBYTES:.*]] = arith.muli %[[PAGE64]], %[[PSTRIDE]] : i64
// CHECK: %[[BEGIN:.*]] = arith.addi %[[CACHE]], %[[PBYTES]] : i64
// CHECK: %[[INPAGE64:.*]] = arith.extui %[[INPAGE]] : i32 to i64
// CHECK: %[[RBYTES:.*]] = arith.muli %[[INPAGE64]], %[[RSTRIDE]] : i64
// CHECK: %[[BASE:.*]] = arith.addi %[[BEGIN]], %[[RBYTES]] : i64
// CHECK: %[[BASEP:.*]] = llvm.inttoptr %[[BASE]] : i64 to !llvm.ptr<1>
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[ROW0]] : i32
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0_i32{{.*}} : i32
// CHECK: %[[MORE:.*]] = arith.subi %[[SOME]], %c64_i32{{.*}} : i32
// CHECK: %[[BEYOND:.*]] = arith.maxsi %[[MORE]], %c0_i32{{.*}} : i32
// CHECK: %[[ROWS:.*]] = arith.subi %[[SOME]], %[[BEYOND]] : i32
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc %[[BASEP]],
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds %[[RSRC]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 192>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> i32
  %rows = fmha.rows k %view, %t at %page : i32 : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
}
