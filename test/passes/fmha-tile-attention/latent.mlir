// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -fmha-tile-attention | FileCheck %s

#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, shared = true>,
  pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// The last 64 of 576 columns come from a tensor of their own, and their product skips the
// first 512 of Q. V is a load of K's rows, with K's 512 columns.
// CHECK-LABEL: fmha.kernel @both
// CHECK-DAG: %[[K:.*]] = fmha.view k : !fmha.view<512, bf16>
// CHECK-DAG: %[[ROPE:.*]] = fmha.view k_rope : !fmha.view<64, bf16>
// CHECK-NOT: fmha.view v
// CHECK: fmha.kv_loop
// CHECK: %[[ROWS:.*]] = fmha.rows k %[[K]], %{{[^ ]*}} : !fmha.view<512, bf16>
// CHECK: %[[KT:.*]] = fmha.load k %[[ROWS]] : !fmha.rows<512, bf16> -> !fmha.tile<32x512xbf16>
// CHECK: %[[ROWS2:.*]] = fmha.rows k_rope %[[ROPE]], %{{.*}} : !fmha.view<64, bf16>
// CHECK: %[[RT:.*]] = fmha.load k_rope %[[ROWS2]] : !fmha.rows<64, bf16> -> !fmha.tile<32x64xbf16>
// CHECK: %[[VT:.*]] = fmha.load v %[[ROWS]] : !fmha.rows<512, bf16> -> !fmha.tile<32x512xbf16>
// CHECK: %[[S:.*]] = fmha.product k %[[Q:[^,]*]], %[[KT]] :
// CHECK: fmha.product k_rope %[[Q]], %[[RT]] skip 512 onto %[[S]]
// CHECK: fmha.product v %{{[^,]*}}, %[[VT]]
fmha.attention @both problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 576, head_dim_v = 512, mask = none, rope_dim = 64, v_in_k = true>) schedule(#schedule)

// -----

#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// In one row the last columns have tiles of their own, too: those of 576 would be 1024 wide. A
// schedule that does not share buffers copies V from K.
// CHECK-LABEL: fmha.kernel @one_row
// CHECK-DAG: fmha.view k : !fmha.view<512, bf16>
// CHECK-DAG: %[[REST:.*]] = fmha.view k from 512 : !fmha.view<64, bf16>
// CHECK-DAG: fmha.view k : !fmha.view<512, bf16>
// CHECK: fmha.rows k_rope %[[REST]], %{{.*}} : !fmha.view<64, bf16>
// CHECK: fmha.rows v %{{.*}} : !fmha.view<512, bf16>
fmha.attention @one_row problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 576, head_dim_v = 512, mask = none, v_in_k = true>) schedule(#schedule)

// Tiles in one page have one number, those in several one for what each tensor's lanes copy.
// CHECK-LABEL: fmha.kernel @pages
// CHECK: %[[P:.*]] = fmha.look_up k {{.*}} -> !fmha.tile<32xi32>
// CHECK: %[[P2:.*]] = fmha.look_up k_rope {{.*}} -> !fmha.tile<32xi32>
// CHECK: fmha.rows k_rope %{{.*}}, %{{.*}} at %[[P2]]
fmha.attention @pages problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 128, mask = none, lengths_kv = true, pages = table, page_size = 16, rope_dim = 64>) schedule(#schedule)

// CHECK-LABEL: fmha.kernel @tiles_in_pages
// CHECK: %[[P:.*]] = fmha.look_up k {{.*}} -> i32
// CHECK-NOT: fmha.look_up k_rope
// CHECK: fmha.rows k_rope %{{.*}}, %{{.*}} at %[[P]] : i32
fmha.attention @tiles_in_pages problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 128, mask = none, lengths_kv = true, pages = table, page_size = 64, rope_dim = 64>) schedule(#schedule)
