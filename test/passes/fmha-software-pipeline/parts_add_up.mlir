// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-software-pipeline | FileCheck %s

// Each part takes what the one before it gave: reads, products and conversions as
// `onto`, the product with V as O. Exponents and weights take the place of the scores:
// the first weights of a lane are there before its last scores become exponents. What
// needs some weights of a lane takes them from the part that has them, so that it does
// not wait for the rest. The sum so far joins in the last part: it still has to follow the
// maximum when the first weights are summed.
// CHECK: fmha.kv_loop
// CHECK: %[[K0:.*]] = fmha.read k %{{.*}} part <0 to 1 of 2> :
// CHECK-NEXT: %[[K:.*]] = fmha.read k %{{.*}} part <1 to 2 of 2> onto %[[K0]] :
// CHECK-NEXT: %[[V0:.*]] = fmha.read v %{{.*}} part <0 to 1 of 4> :
// CHECK-NEXT: %[[V:.*]] = fmha.read v %{{.*}} part <1 to 4 of 4> onto %[[V0]] :
// CHECK-NEXT: fmha.yield %[[K]], %[[V]] :
// CHECK: %[[B:.*]]:5 = fmha.stage @b compute {
// CHECK-NEXT: %[[S0:.*]] = fmha.product k %{{.*}}, %{{.*}} part <0 to 3 of 4> :
// CHECK-NEXT: %[[S:.*]] = fmha.product k %{{.*}}, %{{.*}} part <3 to 4 of 4> onto %[[S0]] :
// CHECK-NEXT: %[[X:.*]] = fmha.mask %[[S]]
// CHECK-NEXT: %{{.*}} = fmha.row_max %[[X]]
// CHECK-NEXT: %[[D0:.*]] = fmha.subtract %[[X]], {{.*}} part <0 to 1 of 2>
// CHECK-NEXT: %[[W0:.*]] = fmha.exp %[[D0]] part <0 to 1 of 4>
// CHECK-NEXT: fmha.yield %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[W0]] :
// CHECK: %[[C:.*]]:5 = fmha.stage @c compute {
// CHECK-NEXT: %[[SUM0:.*]] = fmha.row_sum %[[B]]#4 part <0 to 1 of 4> : !fmha.tile<32x64xf32>
// CHECK-NEXT: %[[P0:.*]] = fmha.convert %[[B]]#4 part <0 to 1 of 4> : !fmha.tile<32x64xf32>
// CHECK-NEXT: %[[D:.*]] = fmha.subtract %[[B]]#4, {{.*}} part <1 to 2 of 2>
// CHECK-NEXT: %[[W:.*]] = fmha.exp %[[D]] part <1 to 4 of 4>
// CHECK-NEXT: %[[O:.*]], %[[L:.*]] = fmha.rescale_if
// CHECK-NEXT: fmha.yield %[[SUM0]], %[[P0]], %[[W]], %[[O]], %[[L]] :
// CHECK: fmha.stage @d compute {
// CHECK-NEXT: fmha.row_sum %[[C]]#2 to %[[C]]#4 : !fmha.tile<32xf32> part <1 to 4 of 4> onto %[[C]]#0 :
// CHECK-NEXT: %[[P:.*]] = fmha.convert %[[C]]#2 part <1 to 4 of 4> onto %[[C]]#1 :
// CHECK-NEXT: %[[O0:.*]] = fmha.product v %[[P]], %{{.*}} part <0 to 1 of 2> onto %[[C]]#3
// CHECK-NEXT: fmha.product v %[[P]], %{{.*}} part <1 to 2 of 2> onto %[[O0]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@a memory [load_k, load_v, read_k[0 to 1 of 2], read_k[1 to 2 of 2], read_v[0 to 1 of 4], read_v[1 to 4 of 4]]>,
    <@b compute [qk[0 to 3 of 4], qk[3 to 4 of 4], mask, row_max, subtract[0 to 1 of 2], exp[0 to 1 of 4]]>,
    <@c compute [row_sum[0 to 1 of 4], convert[0 to 1 of 4], subtract[1 to 2 of 2], exp[1 to 4 of 4], rescale]>,
    <@d compute [row_sum[1 to 4 of 4], convert[1 to 4 of 4], pv[0 to 1 of 2], pv[1 to 2 of 2]]>]>>
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
