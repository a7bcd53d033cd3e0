// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file | FileCheck %s

// Each tile lies in one page, whose number is looked up for K, and is V's, too.
// CHECK-LABEL: fmha.kernel @whole
// CHECK: %[[K:.*]] = fmha.view k : !fmha.view<32, bf16>
// CHECK: %[[V:.*]] = fmha.view v : !fmha.view<32, bf16>
// CHECK: %[[TABLE:.*]] = fmha.view pages : !fmha.view<1, i32>
// CHECK: fmha.kv_loop %[[I:[a-z0-9]+]] =
// CHECK: %[[PK:.*]] = fmha.look_up k %[[TABLE]], %[[I]] : !fmha.view<1, i32> -> i32
// CHECK: %[[RK:.*]] = fmha.rows k %[[K]], %[[I]] at %[[PK]] : i32
// CHECK: fmha.load k %[[RK]]
// CHECK-NOT: fmha.look_up
// CHECK: %[[RV:.*]] = fmha.rows v %[[V]], %[[I]] at %[[PK]] : i32
// CHECK: fmha.load v %[[RV]]

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#whole = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 192>
fmha.attention @whole problem(#whole) schedule(#schedule)

// -----

// A tile of 64 keys lies in pages of 48: that of each key is looked up.
// CHECK-LABEL: fmha.kernel @spread
// CHECK: %[[PK:.*]] = fmha.look_up k %{{.*}}, %{{.*}} : !fmha.view<1, i32> -> !fmha.tile<64xi32>
// CHECK: fmha.rows k %{{.*}}, %{{.*}} at %[[PK]] : !fmha.tile<64xi32>
// CHECK: %[[PV:.*]] = fmha.look_up v %{{.*}}, %{{.*}} : !fmha.view<1, i32> -> !fmha.tile<64xi32>
// CHECK: fmha.rows v %{{.*}}, %{{.*}} at %[[PV]] : !fmha.tile<64xi32>

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#spread = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, pages = list, page_size = 48>
fmha.attention @spread problem(#spread) schedule(#schedule)

// -----

// V's look-up comes before K's: each has its own.
// CHECK-LABEL: fmha.kernel @apart
// CHECK: %[[PK:.*]] = fmha.look_up k
// CHECK: fmha.rows k %{{.*}}, %{{.*}} at %[[PK]] : i32
// CHECK: %[[PV:.*]] = fmha.look_up v
// CHECK: fmha.rows v %{{.*}}, %{{.*}} at %[[PV]] : i32

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_v ahead 2, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#apart = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 192>
fmha.attention @apart problem(#apart) schedule(#schedule)
