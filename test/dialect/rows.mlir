// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 16>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// CHECK: pages = table, page_size = 16
// CHECK: fmha.kernel @k
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %table: !fmha.view<1, i32>, %index: i32):
  // CHECK: %[[LINEAR:.*]] = fmha.rows k %{{.*}}, %{{.*}} : !fmha.view<32, bf16>
  %0 = fmha.rows k %view, %index : !fmha.view<32, bf16>
  // CHECK: fmha.load k %[[LINEAR]] : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  %1 = fmha.load k %0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
  // CHECK: %[[PAGE:.*]] = fmha.look_up k %{{.*}}, %{{.*}} : !fmha.view<1, i32> -> i32
  %2 = fmha.look_up k %table, %index : !fmha.view<1, i32> -> i32
  // CHECK: fmha.rows k %{{.*}}, %{{.*}} at %[[PAGE]] : i32 : !fmha.view<32, bf16>
  %3 = fmha.rows k %view, %index at %2 : i32 : !fmha.view<32, bf16>
  // CHECK: %[[PAGES:.*]] = fmha.look_up v %{{.*}}, %{{.*}} : !fmha.view<1, i32> -> !fmha.tile<64xi32>
  %4 = fmha.look_up v %table, %index : !fmha.view<1, i32> -> !fmha.tile<64xi32>
  // CHECK: fmha.rows v %{{.*}}, %{{.*}} at %[[PAGES]] : !fmha.tile<64xi32> : !fmha.view<32, bf16>
  %5 = fmha.rows v %view, %index at %4 : !fmha.tile<64xi32> : !fmha.view<32, bf16>
}
