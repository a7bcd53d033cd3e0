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
// CHECK: fmha.arg k_row_stride : i64
// CHECK: %[[RSTRIDE:.*]] = arith.trunci
// CHECK: %[[KEY:.*]] = arith.muli %arg0, %c64_i32 : i32
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i32 : i32
// CHECK: %[[IN:.*]] = arith.minsi %[[KEY]], %[[LAST]] : i32
// CHECK: %[[ENTRY:.*]] = arith.divui %[[IN]], %c192_i32{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[ENTRY]] : i32 to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c4_i64{{.*}} : i64
// CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[BYTES]] : i64
// CHECK: %[[P:.*]] = llvm.inttoptr %[[AT]] : i64 to !llvm.ptr<4>
// LLVM leaves a volatile load where it stands, and nothing crosses it.
// CHECK: %[[PAGE:.*]] = llvm.load %[[P]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32

// Its descriptor begins at row 64 t % 192 of the page, at an address of 64 bits of products of 32, and
// has 64 rows, of 64 bytes; where the sequence has no key, none. Scores hide rows past the last key.
// CHECK: %[[ROW0:.*]] = arith.muli %arg0, %c64_i32{{.*}} : i32
// CHECK: %[[INPAGE:.*]] = arith.remui %[[ROW0]], %c192_i32{{.*}} : i32
// CHECK: %[[PSTRIDE:.*]] = fmha.arg k_page_stride : i64
// CHECK: %[[PSTRIDE32:.*]] = arith.trunci %[[PSTRIDE]] : i64 to i32
// CHECK: %[[PAGE64:.*]] = arith.extui %[[PAGE]] : i32 to i64
// CHECK: %[[PSTRIDE64:.*]] = arith.extui %[[PSTRIDE32]] : i32 to i64
// CHECK: %[[PBYTES:.*]] = arith.muli %[[PAGE64]], %[[PSTRIDE64]] : i64
// CHECK: %[[RBYTES32:.*]] = arith.muli %[[INPAGE]], %[[RSTRIDE]] : i32
// CHECK: %[[RBYTES:.*]] = arith.extui %[[RBYTES32]] : i32 to i64
// CHECK: %[[PLACE:.*]] = arith.addi %[[PBYTES]], %[[RBYTES]] : i64
// CHECK: %[[BASE:.*]] = arith.addi %[[CACHE]], %[[PLACE]] : i64
// CHECK: %[[BASEP:.*]] = llvm.inttoptr %[[BASE]] : i64 to !llvm.ptr<1>
// CHECK: %[[LEN:.*]] = fmha.seq_len kv : i32
// CHECK: %[[BETWEEN:.*]] = arith.subi %[[RSTRIDE]], %c64_i32{{.*}} : i32
// CHECK: %[[ALL:.*]] = arith.muli %c64_i32{{.*}}, %[[RSTRIDE]] : i32
// CHECK: %[[BYTES:.*]] = arith.subi %[[ALL]], %[[BETWEEN]] : i32
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[LEN]], %c0_i32{{.*}} : i32
// CHECK: %[[EXTENT:.*]] = arith.select %[[ANY]], %[[BYTES]], %c0_i32{{.*}} : i32
// CHECK: %[[EXTENT64:.*]] = arith.extui %[[EXTENT]] : i32 to i64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc %[[BASEP]], %{{.*}}, %[[EXTENT64]],
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds %[[RSRC]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds

// V's rows past the last key have to be zeros: it has as many as are left, 64 at most.
// CHECK: arith.remui %{{.*}}, %c192_i32{{.*}} : i32
// CHECK: %[[VLEN:.*]] = fmha.seq_len kv : i32
// CHECK: %[[VALL:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[VLAST:.*]] = arith.subi %[[VLEN]], %c1_i32{{.*}} : i32
// CHECK: %[[VBEFORE:.*]] = arith.andi %[[VLAST]], %c63_i32{{.*}} : i32
// CHECK: %[[VSOME:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[VLEN]], %{{.*}} : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %[[LEFT]], %c64_i32{{.*}} : i32
// CHECK: %[[VANY:.*]] = arith.cmpi sgt, %[[LEFT]], %c0_i32{{.*}} : i32
// CHECK: %[[VBYTES:.*]] = arith.select %[[WHOLE]], %{{.*}}, %[[VSOME]] : i32
// CHECK: %[[VEXTENT:.*]] = arith.select %[[VANY]], %[[VBYTES]], %c0_i32{{.*}} : i32
// CHECK: %[[VEXTENT64:.*]] = arith.extui %[[VEXTENT]] : i32 to i64
// CHECK: %[[VRSRC:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[VEXTENT64]],
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds %[[VRSRC]],
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
!second = !fmha.lds<64x32xbf16, 4096, #lds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %table = fmha.view pages : !fmha.view<1, i32>
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %page = fmha.look_up k %table, %t : !fmha.view<1, i32> -> i32
  %rows = fmha.rows k %view, %t at %page : i32 : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
  %vview = fmha.view v : !fmha.view<32, bf16>
  %v = fmha.lds_buffer v : !second
  %vpage = fmha.look_up v %table, %t : !fmha.view<1, i32> -> i32
  %vrows = fmha.rows v %vview, %t at %vpage : i32 : !fmha.view<32, bf16>
  %1 = fmha.copy v %vrows into %v dma(#dma) : !fmha.rows<32, bf16>, !second
}
