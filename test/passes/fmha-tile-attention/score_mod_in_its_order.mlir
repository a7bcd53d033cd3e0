// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// Natural units: x = scale * s; the cap, 32 * tanh(x / 32) with 1 / 32 = 0.03125; the
// user's function; ALiBi, minus slope * |i + Sk - Sq - j|; the bias. Then the mask. The
// softmax, of base 2, gets log2(e) = 1.44269504 for its factor, and Q stays as it is.
// CHECK-LABEL: fmha.kernel @attn
// CHECK: fmha.work grid (%{{.*}}, %[[HEAD:.*]], %[[BATCH:.*]]) {
// CHECK: %[[BIAS:.*]] = fmha.view bias : !fmha.view<32, f32>
// CHECK: %[[SCALE:.*]] = fmha.arg scale : f32
// CHECK: %[[Q:.*]] = fmha.load_q
// CHECK: %[[FACTOR:.*]] = arith.constant 1.44269502 : f32
//
// The slope of the batch and head: byte batch * stride + 4 * head.
// CHECK: %[[BATCH64:.*]] = arith.extui %[[BATCH]] : i32 to i64
// CHECK: %[[BS:.*]] = fmha.arg alibi_batch_stride : i64
// CHECK: %[[BB:.*]] = arith.muli %[[BATCH64]], %[[BS]] : i64
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[SQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[SHIFT:.*]] = arith.subi %[[SK]], %[[SQ]] : i32
// CHECK: %[[HEAD64:.*]] = arith.extui %[[HEAD]] : i32 to i64
// CHECK: %[[C4:.*]] = arith.constant 4 : i64
// CHECK: %[[HB:.*]] = arith.muli %[[HEAD64]], %[[C4]] : i64
// CHECK: %[[AT:.*]] = arith.addi %[[BB]], %[[HB]] : i64
// CHECK: %[[SLOPE:.*]] = fmha.load_uniform alibi_slopes at %[[AT]] : f32
// CHECK-NOT: fmha.apply_sign
// CHECK: fmha.kv_loop
// CHECK: %[[S:.*]] = fmha.product k %[[Q]],
// CHECK-NEXT: %[[X:.*]] = fmha.score_mod %[[S]], %[[T:.*]] (%[[S0:.*]]: f32, %[[ROW:.*]]: i32, %[[KEY:.*]]: i32, %[[H:.*]]: i32, %[[B:.*]]: i32) {
// CHECK-NEXT: %[[S1:.*]] = arith.mulf %[[S0]], %[[SCALE]] : f32
// CHECK-NEXT: %[[INV:.*]] = arith.constant 3.125000e-02 : f32
// CHECK-NEXT: %[[PART:.*]] = arith.mulf %[[S1]], %[[INV]] : f32
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[PART]] : f32
// CHECK-NEXT: %[[CAP:.*]] = arith.constant 3.200000e+01 : f32
// CHECK-NEXT: %[[S2:.*]] = arith.mulf %[[TANH]], %[[CAP]] : f32
// CHECK-NEXT: %[[HF:.*]] = arith.sitofp %[[H]] : i32 to f32
// CHECK-NEXT: %[[S3:.*]] = arith.addf %[[S2]], %[[HF]] : f32
// CHECK-NEXT: %[[ON:.*]] = arith.addi %[[ROW]], %[[SHIFT]] : i32
// CHECK-NEXT: %[[AWAY:.*]] = arith.subi %[[ON]], %[[KEY]] : i32
// CHECK-NEXT: %[[AWAYF:.*]] = arith.sitofp %[[AWAY]] : i32 to f32
// CHECK-NEXT: %[[DIST:.*]] = math.absf %[[AWAYF]] : f32
// CHECK-NEXT: %[[LESS:.*]] = arith.mulf %[[SLOPE]], %[[DIST]] : f32
// CHECK-NEXT: %[[S4:.*]] = arith.subf %[[S3]], %[[LESS]] : f32
// CHECK-NEXT: fmha.yield %[[S4]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[Y:.*]] = fmha.add_bias %[[X]], %[[BIAS]], %[[T]]
// CHECK-NEXT: %[[Z:.*]] = fmha.mask %[[Y]],
// CHECK-NEXT: fmha.row_max %[[Z]], %{{.*}}, %{{.*}}, %[[FACTOR]] wide
//
// The user's op is used up.
// CHECK-NOT: fmha.score_mod

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = causal, softcap = 32.0 : f32, score_mod = true, alibi = true, bias = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %h = arith.sitofp %head : i32 to f32
  %y = arith.addf %score, %h : f32
  fmha.yield %y : f32
}
fmha.attention @attn problem(#problem) schedule(#schedule)
