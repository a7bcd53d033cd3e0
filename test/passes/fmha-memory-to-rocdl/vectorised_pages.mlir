// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Pages are [4, 64, 8] of K, so that key 1 lies 16 bytes on, and column 8 64 x 16 bytes: 128 a column; and
// [8, 32, 8] of V, so that column 1 lies 16 bytes on, and key 8 32 x 16 bytes: 64 a key.
// A descriptor of K has all of a head, 4096 bytes: piece 3 of key 63 lies at 3 x 1024 + 63 x 16.
// CHECK-LABEL: fmha.kernel @k
// CHECK-DAG: %[[KPLACE:.*]] = arith.muli %{{.*}}, %c16_i32{{.*}} : i32
// CHECK-DAG: arith.muli %{{.*}}, %c128_i32{{.*}} : i32
// CHECK: %[[OFROWS:.*]] = arith.muli %c64_i32{{.*}}, %c16_i32{{.*}} : i32
// CHECK: %[[KALL:.*]] = arith.addi %[[OFROWS]], %c3072_i32{{.*}} : i32
// CHECK: %[[KEXTENT:.*]] = arith.select %{{.*}}, %[[KALL]], %c0_i32{{.*}} : i32
// CHECK: %[[KEXTENT64:.*]] = arith.extui %[[KEXTENT]] : i32 to i64
// CHECK: %[[KRSRC:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[KEXTENT64]],
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds %[[KRSRC]],

// Nothing follows the copies of K.
// CHECK-NOT: scf.if
// One of V ends with a piece: of n keys (n + 7) / 8 rows of 512 bytes.
// CHECK: arith.muli %{{.*}}, %c64_i32{{.*}} : i32
// CHECK: arith.muli %{{.*}}, %c16_i32{{.*}} : i32
// CHECK: %[[PIECES:.*]] = arith.shrui %{{.*}}, %c3_i32{{.*}} : i32
// CHECK: %[[VALL:.*]] = arith.muli %[[PIECES]], %c512_i32{{.*}} : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[LEN:.*]], %c1_i32{{.*}} : i32
// CHECK: %[[OVER:.*]] = arith.andi %[[LAST]], %c63_i32{{.*}} : i32
// CHECK: %[[ROWS:.*]] = arith.addi %[[OVER]], %c1_i32{{.*}} : i32
// CHECK: %[[UP:.*]] = arith.addi %[[ROWS]], %c7_i32{{.*}} : i32
// CHECK: %[[SOME:.*]] = arith.shrui %[[UP]], %c3_i32{{.*}} : i32
// CHECK: %[[OFLAST:.*]] = arith.muli %[[SOME]], %c512_i32{{.*}} : i32
// CHECK: arith.select %{{.*}}, %[[VALL]], %[[OFLAST]] : i32
// CHECK: %[[VRSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds %[[VRSRC]],

// At the end of the stage, and not before what follows the copies in it: of the tile that has the last key,
// if the keys are no multiple of 8.
// CHECK: fmha.id q_tile
// CHECK: %[[KEYS:.*]] = fmha.seq_len kv : i32
// CHECK: %[[PART:.*]] = arith.andi %[[KEYS]], %c7_i32{{.*}} : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[PART]], %c0_i32{{.*}} : i32
// CHECK: %[[END:.*]] = arith.select %[[WHOLE]], %c-1_i32{{.*}}, %[[KEYS]] : i32
// CHECK: %[[FIRST:.*]] = arith.muli %arg0, %c64_i32{{.*}} : i32
// CHECK: %[[IN:.*]] = arith.subi %[[END]], %[[FIRST]] : i32
// CHECK: %[[CUT:.*]] = arith.cmpi ult, %[[IN]], %c64_i32{{.*}} : i32
// CHECK: scf.if %[[CUT]] {
// CHECK-NEXT: amdgpu.memory_counter_wait load(0)
// What a lane copied, of which words keep the bits of keys that there are.
// CHECK: %[[READ:.*]] = llvm.load %[[AT:.*]] {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: %[[OWN:.*]] = arith.subi %[[LEFT]],
// CHECK: %[[BITS:.*]] = arith.muli %[[OWN]], %c16_i32{{.*}} : i32
// CHECK: arith.subi %[[BITS]], %c0_i32
// CHECK: arith.subi %[[BITS]], %c32_i32
// CHECK: arith.subi %[[BITS]], %c64_i32
// CHECK: arith.subi %[[BITS]], %c96_i32
// CHECK: %[[KEPT:.*]] = arith.andi %[[READ]], %{{.*}} : vector<4xi32>
// CHECK: llvm.store %[[KEPT]], %[[AT]]
// CHECK-COUNT-3: llvm.store
// CHECK-NOT: llvm.store
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: }
// CHECK-NEXT: fmha.wall

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64, vectorised = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [16, 32, 64, 128, 256, 512], col = [2, 4, 8, 1024, 2048],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
#ldsv = #fmha.lds_layout<row = [2, 4, 8, 512, 1024, 2048], col = [16, 32, 64, 128, 256],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dmav = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [4, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0]], wave = []>
!buffer = !fmha.lds<64x32xbf16, 0, #lds>
!second = !fmha.lds<64x32xbf16, 4096, #ldsv>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32, %page: i32):
  %view = fmha.view k : !fmha.view<32, bf16>
  %k = fmha.lds_buffer k : !buffer
  %rows = fmha.rows k %view, %t at %page : i32 : !fmha.view<32, bf16>
  %0 = fmha.copy k %rows into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
  %vview = fmha.view v : !fmha.view<32, bf16>
  %v = fmha.lds_buffer v : !second
  %vrows = fmha.rows v %vview, %t at %page : i32 : !fmha.view<32, bf16>
  %1 = fmha.copy v %vrows into %v dma(#dmav) : !fmha.rows<32, bf16>, !second
  %later = fmha.id q_tile : i32
  fmha.wall
}
