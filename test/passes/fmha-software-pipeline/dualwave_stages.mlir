// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-software-pipeline | FileCheck %s

// The stages of a kernel with two groups of waves: a pass i through them computes the
// scores of tile i, finishes the weights of tile i - 1 and adds these to O, and copies K
// of tile i + 2 and V of tile i.
//
// Before the loop: K of the first two tiles, then pass 0 without what belongs to tile -1.
// CHECK: fmha.kernel
// CHECK-NOT: fmha.kv_loop
// CHECK: fmha.stage @v_in memory {
// CHECK: %[[TK0:.*]] = fmha.copy k
// CHECK-NEXT: fmha.yield %[[TK0]] : !fmha.token
// CHECK-NEXT: } : !fmha.token
// CHECK-NEXT: fmha.stage @v_in memory {
// CHECK: fmha.copy k
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @k_in memory {
// CHECK-NEXT: fmha.read k
// CHECK: fmha.copy v
// CHECK-NEXT: fmha.yield
// CHECK: %[[S:.*]] = fmha.stage @scores compute {
// CHECK-NEXT: fmha.product k
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @v_in memory {
// CHECK-NOT: fmha.read v
// CHECK: fmha.copy k
// CHECK-NEXT: fmha.mask %[[S]]
// CHECK-NEXT: fmha.row_max
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @output compute {
// CHECK-NEXT: %[[X:.*]] = fmha.subtract
// CHECK-NEXT: fmha.exp %[[X]] part <0 to 1 of 2>
// CHECK-NEXT: fmha.yield
// CHECK-NEXT: }
//
// A round is two passes. It takes from the one before: of tile -1 the maximum, the shift,
// the correction and whether there is one, the weights whose second half is missing and
// the token of V; of tile -2 the sum and O; and the tokens of K of tiles 0 and 1.
// CHECK: fmha.kv_loop
// CHECK-SAME: -> (
// CHECK-SAME: ) step 2 {
// CHECK: fmha.stage @k_in memory {
// CHECK-NEXT: fmha.rescale_if
// CHECK-NEXT: fmha.read k
// CHECK: fmha.copy v
// CHECK: fmha.stage @scores compute {
// CHECK-NEXT: fmha.product k
// CHECK-NEXT: %[[W:.*]] = fmha.exp %{{.*}} part <1 to 2 of 2>
// CHECK-NEXT: fmha.row_sum %[[W]]
// CHECK-NEXT: fmha.convert %[[W]]
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @v_in memory {
// CHECK-NEXT: fmha.read v
// CHECK: fmha.copy k
// CHECK-NEXT: fmha.mask
// CHECK-NEXT: fmha.row_max
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @output compute {
// CHECK-NEXT: fmha.product v
// CHECK-NEXT: fmha.subtract
// CHECK-NEXT: fmha.exp %{{.*}} part <0 to 1 of 2>
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @k_in
// CHECK: fmha.stage @scores
// CHECK: fmha.stage @v_in
// CHECK: fmha.stage @output
// CHECK-NOT: fmha.stage
// CHECK: fmha.yield %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} :
// CHECK-NOT: fmha.stage
// CHECK-NEXT: }
//
// After it the last tile, copying no K, and what is left of it a pass later.
// CHECK: fmha.stage @k_in memory {
// CHECK-NEXT: fmha.rescale_if
// CHECK-NEXT: fmha.read k
// CHECK: fmha.copy v
// CHECK: fmha.stage @scores compute {
// CHECK-NEXT: fmha.product k
// CHECK-NEXT: fmha.exp %{{.*}} part <1 to 2 of 2>
// CHECK-NEXT: fmha.row_sum
// CHECK-NEXT: fmha.convert
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @v_in memory {
// CHECK-NEXT: fmha.read v
// CHECK-NEXT: fmha.mask
// CHECK-NEXT: fmha.row_max
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @output compute {
// CHECK-NEXT: fmha.product v
// CHECK-NEXT: fmha.subtract
// CHECK-NEXT: fmha.exp %{{.*}} part <0 to 1 of 2>
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @k_in memory {
// CHECK-NEXT: fmha.rescale_if
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @scores compute {
// CHECK-NEXT: fmha.exp %{{.*}} part <1 to 2 of 2>
// CHECK-NEXT: fmha.row_sum
// CHECK-NEXT: fmha.convert
// CHECK-NEXT: fmha.yield
// CHECK: fmha.stage @v_in memory {
// CHECK-NEXT: fmha.read v
// CHECK-NEXT: fmha.yield
// CHECK: %[[O:.*]] = fmha.stage @output compute {
// CHECK-NEXT: fmha.product v
// CHECK-NEXT: fmha.yield
// CHECK-NOT: fmha.stage
// CHECK: fmha.normalize %[[O]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
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
