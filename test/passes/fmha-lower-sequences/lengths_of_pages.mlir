// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-sequences -split-input-file | FileCheck %s

// Of n pages of 48 keys, n - 1 are whole; a sequence of none has no key, whatever the last one
// is said to have.
// CHECK-LABEL: fmha.kernel @list
// CHECK: fmha.arg kv_indptr : i64
// CHECK: %[[END:.*]] = llvm.load
// CHECK: fmha.arg kv_indptr : i64
// CHECK: %[[BEGIN:.*]] = llvm.load
// CHECK: %[[PAGES:.*]] = arith.subi %[[END]], %[[BEGIN]] : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[SOME:.*]] = arith.maxsi %[[PAGES]], %[[ONE]] : i32
// CHECK: %[[LESS:.*]] = arith.constant 1 : i32
// CHECK: %[[WHOLE:.*]] = arith.subi %[[SOME]], %[[LESS]] : i32
// CHECK: %[[SIZE:.*]] = arith.constant 48 : i32
// CHECK: fmha.arg kv_last_page_len : i64
// CHECK: %[[SAID:.*]] = llvm.load
// Of all pages the product may pass 31 bits.
// CHECK: %[[ANY:.*]] = arith.minsi %[[PAGES]], %{{.*}} : i32
// CHECK: %[[MOST:.*]] = arith.muli %[[ANY]], %[[SIZE]] : i32
// CHECK: %[[LAST:.*]] = arith.minsi %[[SAID]], %[[MOST]] : i32
// CHECK: %[[KEYS:.*]] = arith.muli %[[WHOLE]], %[[SIZE]] : i32
// CHECK: %[[ALL:.*]] = arith.addi %[[KEYS]], %[[LAST]] : i32
// CHECK: arith.muli %[[ALL]], %[[ALL]] : i32

#list = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, pages = list, page_size = 48>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.kernel @list problem(#list) schedule(#schedule) {
  %0 = fmha.seq_len kv : i32
  %1 = arith.muli %0, %0 : i32
}

// -----

// Lengths without the sequence's rows of Q.
// CHECK-LABEL: fmha.kernel @cached
// CHECK: fmha.arg seqlens_kv : i64
// CHECK: %[[BEFORE:.*]] = llvm.load
// CHECK: fmha.arg seqlens_q : i64
// CHECK: %[[ROWS:.*]] = llvm.load
// CHECK: %[[KEYS:.*]] = arith.addi %[[BEFORE]], %[[ROWS]] : i32
// CHECK: arith.muli %[[KEYS]], %[[KEYS]] : i32

#cached = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_q = true, lengths_kv = true, lengths_cached = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.kernel @cached problem(#cached) schedule(#schedule) {
  %0 = fmha.seq_len kv : i32
  %1 = arith.muli %0, %0 : i32
}
