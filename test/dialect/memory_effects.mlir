// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -canonicalize -cse -loop-invariant-code-motion | FileCheck %s

// What MLIR's own passes may do follows from what ops say of their effects.

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!q = !fmha.tile<32x32xbf16>
!k = !fmha.tile<64x32xbf16>
!s = !fmha.tile<32x64xf32>

// A copy and a load of Q are there although nobody takes what they give: waits count
// them. A read that nobody takes is not, and where their rows lie is said once.
// CHECK-LABEL: fmha.kernel @counted_or_dead
// CHECK: fmha.load_q
// CHECK-NEXT: {{.*}} = fmha.rows k 
// CHECK-NEXT: fmha.copy k
// CHECK-NEXT: fmha.copy k
// CHECK-NOT: fmha.read
// CHECK: fmha.wall
fmha.kernel @counted_or_dead problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %t: i32):
  %k0 = fmha.lds_buffer k : !k0
  %q = fmha.load_q %view : !view -> !q
  %at0 = fmha.rows k %view, %t : !view
  %t0 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
  %at1 = fmha.rows k %view, %t : !view
  %t1 = fmha.copy k %at1 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
  %0 = fmha.read k %k0 after %t1 : !k0 -> !k
  fmha.wall
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!q = !fmha.tile<32x32xbf16>
!k = !fmha.tile<64x32xbf16>
!s = !fmha.tile<32x64xf32>

// Two reads of a buffer are one, unless the waves meet or a wave group is let go ahead
// between them: what is in the buffer then may be another tile.
// CHECK-LABEL: fmha.kernel @reads
// CHECK: %[[A:.*]] = fmha.read k
// CHECK-NEXT: %[[S:.*]] = fmha.product k %{{.*}}, %[[A]] :
// CHECK-NEXT: fmha.stagger second barriers 1
// CHECK-NEXT: %[[B:.*]] = fmha.read k
// CHECK-NEXT: %[[U:.*]] = fmha.product k %{{.*}}, %[[B]] :
// CHECK-NEXT: fmha.anchor %[[S]], %[[S]], %[[U]]
fmha.kernel @reads problem(#problem) schedule(#schedule) {
^bb0(%q: !q, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %a = fmha.read k %k0 after %token : !k0 -> !k
  %s = fmha.product k %q, %a : !q, !k -> !s
  %b = fmha.read k %k0 after %token : !k0 -> !k
  %t = fmha.product k %q, %b : !q, !k -> !s
  fmha.stagger second barriers 1
  %c = fmha.read k %k0 after %token : !k0 -> !k
  %u = fmha.product k %q, %c : !q, !k -> !s
  fmha.anchor %s, %t, %u : !s, !s, !s
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!bias = !fmha.view<64, f32>
!q = !fmha.tile<32x32xbf16>
!k = !fmha.tile<64x32xbf16>
!s = !fmha.tile<32x64xf32>
!row = !fmha.tile<32xf32>

// The loop over keys is a loop to MLIR: bounds of masks that do not change leave it, and so
// does a product of what came from before. Copies, reads and loads of the bias stay,
// although all that they take comes from before, too.
// CHECK-LABEL: fmha.kernel @invariant
// CHECK: fmha.key_limit
// CHECK: fmha.product k
// CHECK: fmha.kv_loop
// CHECK-NEXT: fmha.copy k
// CHECK-NEXT: fmha.read k
// CHECK-NEXT: fmha.product k
// CHECK-NEXT: fmha.add_bias
// CHECK-NEXT: fmha.mask
fmha.kernel @invariant problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lse: !fmha.view<1, f32>, %bias: !bias, %q: !q, %k: !k, %lo: i32, %hi: i32, %row: !row):
  %k0 = fmha.lds_buffer k : !k0
  %r:2 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %row, %last = %row) -> (!row, !row) {
    %limit = fmha.key_limit : !fmha.tile<32xi32>
    %at2 = fmha.rows k %view, %lo : !view
    %token = fmha.copy k %at2 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
    %a = fmha.read k %k0 after %token : !k0 -> !k
    %s = fmha.product k %q, %a : !q, !k -> !s
    %x = fmha.add_bias %s, %bias, %lo : !s, !bias
    %y = fmha.mask %x, %limit, %t : !s, !fmha.tile<32xi32>
    %sum = fmha.row_sum %y to %m : !row : !s -> !row
    %same = fmha.product k %q, %k : !q, !k -> !s
    %sum2 = fmha.row_sum %same to %last : !row : !s -> !row
    fmha.yield %sum, %sum2 : !row, !row
  }
  %0 = fmha.combine_rows %r#0 : !row
  %1 = fmha.combine_rows %r#1 : !row
  fmha.store_lse %0, %lse : !row, !fmha.view<1, f32>
  fmha.store_lse %1, %lse : !row, !fmha.view<1, f32>
}
