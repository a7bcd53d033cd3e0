// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-software-pipeline | FileCheck %s

// The page of V's next tile is looked up while O of this one is computed, that of K's next tile
// while its scores are; before the loop those of the first tile. The number of V's page is carried
// to the next round, where its tile is copied.
// CHECK: %[[K0:.*]] = fmha.stage @scores compute
// CHECK: %[[N:.*]] = fmha.look_up k
// CHECK-NEXT: fmha.yield %[[N]] : i32
// CHECK: %[[FIRST:.*]]:2 = fmha.stage @output compute
// CHECK: fmha.rows k %{{.*}}, %{{.*}} at %[[K0]] : i32
// CHECK-NEXT: %[[C:.*]] = fmha.copy k
// CHECK: %[[V0:.*]] = fmha.look_up v
// CHECK-NEXT: fmha.yield %[[C]], %[[V0]] :
// CHECK: fmha.kv_loop {{.*}} iter_args(%[[PAGE:[a-z0-9]+]] = %[[FIRST]]#1,
// CHECK: %[[S:.*]]:7 = fmha.stage @scores compute
// CHECK: fmha.rows v %{{.*}}, %{{.*}} at %[[PAGE]] : i32
// CHECK-NEXT: fmha.copy v
// CHECK: %[[NEXT:.*]] = fmha.look_up k
// CHECK: fmha.yield %{{.*}}, %[[NEXT]],
// CHECK: %[[O:.*]]:4 = fmha.stage @output compute
// CHECK: fmha.rows k %{{.*}}, %{{.*}} at %[[S]]#1 : i32
// CHECK-NEXT: fmha.copy k
// CHECK: %[[VNEXT:.*]] = fmha.look_up v
// CHECK: fmha.yield %{{.*}}, %[[VNEXT]],
// CHECK: fmha.yield %[[O]]#1,

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!kbuf = !fmha.lds<64x32xbf16, 0, #lds>
!vbuf = !fmha.lds<64x32xbf16, 4096, #lds>
!view = !fmha.view<32, bf16>
!table = !fmha.view<1, i32>
!rows = !fmha.rows<32, bf16>
!q = !fmha.tile<32x32xbf16>
!kv = !fmha.tile<64x32xbf16>
!s = !fmha.tile<32x64xf32>
!p = !fmha.tile<32x64xbf16>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
!limit = !fmha.tile<32xi32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %q: !q, %limit: !limit, %factor: f32, %lo: i32, %hi: i32, %row: !row, %acc: !o):
  %kbuf = fmha.lds_buffer k : !kbuf
  %vbuf = fmha.lds_buffer v : !vbuf
  %r:4 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %row, %l = %row, %o = %acc, %shift = %row) -> (!row, !row, !o, !row) {
    %kpage = fmha.look_up k %table, %t : !table -> i32
    %krows = fmha.rows k %view, %t at %kpage : i32 : !view
    %tk = fmha.copy k %krows into %kbuf dma(#dma) : !rows, !kbuf
    %vpage = fmha.look_up v %table, %t : !table -> i32
    %vrows = fmha.rows v %view, %t at %vpage : i32 : !view
    %tv = fmha.copy v %vrows into %vbuf dma(#dma) : !rows, !vbuf
    %k = fmha.read k %kbuf after %tk : !kbuf -> !kv
    %s = fmha.product k %q, %k : !q, !kv -> !s
    %x = fmha.mask %s, %limit, %t : !s, !limit
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %shift, %factor : !s, !row
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !o, !row, !row
    %d = fmha.subtract %x, %shift1, %factor : !s, !row
    %w = fmha.exp %d : !s
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %p = fmha.convert %w : !s -> !p
    %v = fmha.read v %vbuf after %tv : !vbuf -> !kv
    %o2 = fmha.product v %p, %v onto %o1 : !o : !p, !kv -> !o
    fmha.yield %m1, %l2, %o2, %shift1 : !row, !row, !o, !row
  }
  %end = fmha.normalize %r#2, %r#1 : !o, !row
}
