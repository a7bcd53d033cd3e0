// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-software-pipeline | FileCheck %s

// A body of one tile and two buffers: tile i still lies in buffer i mod 2, and which one
// that is depends on the round. Before the loop it is known, and no slot is taken. The
// number of a tile counts from the loop's first; K is copied two tiles ahead, V read one
// tile late. Nothing is rounded up: any number of tiles is a number of whole rounds.
// CHECK: ^bb0({{.*}}, %[[LO:[a-z0-9]+]]: i32, %[[HI:[a-z0-9]+]]: i32,
// CHECK: %[[K0:.*]] = fmha.lds_buffer k : !fmha.lds<64x32xbf16, 0,
// CHECK: %[[K1:.*]] = fmha.lds_buffer k : !fmha.lds<64x32xbf16, 4096,
// CHECK: %[[V0:.*]] = fmha.lds_buffer v : !fmha.lds<64x32xbf16, 8192,
// CHECK: %[[V1:.*]] = fmha.lds_buffer v : !fmha.lds<64x32xbf16, 12288,
// CHECK: arith.divui
// CHECK-NOT: arith.divui
// CHECK-NOT: fmha.ring_slot
// CHECK: fmha.copy k %{{.*}} into %[[K0]]
// CHECK: fmha.copy k %{{.*}} into %[[K1]]
// CHECK: fmha.read k %[[K0]]
// CHECK: fmha.copy v %{{.*}} into %[[V0]]
// CHECK: fmha.copy k %{{.*}} into %[[K0]]
// CHECK: fmha.kv_loop %[[T:[a-z0-9]+]] = %{{.*}} to %[[END:[a-z0-9]+]] iter_args
// CHECK-SAME: ) {
// CHECK: fmha.stage @k_in
// CHECK: %[[N0:.*]] = arith.subi %[[T]], %[[LO]] :
// CHECK: %[[SK:.*]] = fmha.ring_slot %[[N0]] of %[[K0]], %[[K1]] :
// CHECK: fmha.read k %[[SK]] after
// CHECK: %[[NV:.*]] = arith.subi %[[T]], %[[LO]] :
// CHECK: %[[SV:.*]] = fmha.ring_slot %[[NV]] of %[[V0]], %[[V1]] :
// CHECK: fmha.copy v %{{.*}} into %[[SV]] dma
// CHECK: fmha.stage @v_in
// CHECK: %[[BEFORE:.*]] = arith.addi %[[T]], %c-1
// CHECK: %[[N1:.*]] = arith.subi %[[BEFORE]], %[[LO]] :
// CHECK: %[[SR:.*]] = fmha.ring_slot %[[N1]] of %[[V0]], %[[V1]] :
// CHECK: fmha.read v %[[SR]] after
// What is loaded past the end is the last tile again, but not where it lies.
// CHECK: %[[AFTER:.*]] = arith.addi %[[T]], %c2
// CHECK: %[[TILE:.*]] = arith.minsi %[[AFTER]], %
// CHECK: %[[ROWS:.*]] = fmha.rows k %{{.*}}, %[[TILE]] :
// CHECK: %[[AHEAD:.*]] = arith.addi %[[T]], %c2
// CHECK: %[[N2:.*]] = arith.subi %[[AHEAD]], %[[LO]] :
// CHECK: %[[SA:.*]] = fmha.ring_slot %[[N2]] of %[[K0]], %[[K1]] :
// CHECK: fmha.copy k %[[ROWS]] into %[[SA]] dma
// After the loop the last tile's V is left, one round's number before its end.
// CHECK: fmha.stage @v_in
// CHECK: %[[LAST:.*]] = arith.addi %[[END]], %c-1
// CHECK: %[[N3:.*]] = arith.subi %[[LAST]], %[[LO]] :
// CHECK: %[[SL:.*]] = fmha.ring_slot %[[N3]] of %[[V0]], %[[V1]] :
// CHECK: fmha.read v %[[SL]] after
// CHECK-NOT: fmha.read k

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [rescale ahead -1, read_k, load_v]>,
    <@scores compute [qk, exp[1 to 2 of 2] ahead -1, row_sum ahead -1, convert ahead -1]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, mask, row_max]>,
    <@output compute [pv ahead -1, subtract, exp[0 to 1 of 2]]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!q = !fmha.tile<32x32xbf16>
!kv = !fmha.tile<64x32xbf16>
!s = !fmha.tile<32x64xf32>
!p = !fmha.tile<32x64xbf16>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
!limit = !fmha.tile<32xi32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !q, %limit: !limit, %factor: f32, %lo: i32, %hi: i32, %row: !row, %acc: !o):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %r:4 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %row, %l = %row, %o = %acc, %shift = %row) -> (!row, !row, !o, !row) {
    %at0 = fmha.rows k %view, %t : !view
    %tk = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
    %at1 = fmha.rows v %view, %t : !view
    %tv = fmha.copy v %at1 into %v0 dma(#dma) : !fmha.rows<32, bf16>, !v0
    %k = fmha.read k %k0 after %tk : !k0 -> !kv
    %s = fmha.product k %q, %k : !q, !kv -> !s
    %x = fmha.mask %s, %limit, %t : !s, !limit
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %shift, %factor : !s, !row
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !o, !row, !row
    %d = fmha.subtract %x, %shift1, %factor : !s, !row
    %w = fmha.exp %d : !s
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %p = fmha.convert %w : !s -> !p
    %v = fmha.read v %v0 after %tv : !v0 -> !kv
    %o2 = fmha.product v %p, %v onto %o1 : !o : !p, !kv -> !o
    fmha.yield %m1, %l2, %o2, %shift1 : !row, !row, !o, !row
  }
  %end = fmha.normalize %r#2, %r#1 : !o, !row
}
