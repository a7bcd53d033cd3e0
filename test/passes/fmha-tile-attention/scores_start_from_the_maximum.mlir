// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// Products start from minus the maximum, so that scores are exponents: no subtraction. The
// maximum starts at 0, with a limit of -inf, which the first score passes.
// CHECK: %[[NINF:.*]] = fmha.init 0xFF800000 : !fmha.tile<256xf32>
// CHECK: %[[L:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256xf32>
// CHECK: %[[O:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256x128xf32>
// CHECK: %[[M:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256xf32>
// CHECK: %[[B:.*]] = fmha.no_max : !fmha.tile<256x32xf32>
// CHECK: %[[R:.*]]:5 = fmha.kv_loop %{{.*}} iter_args(%[[M0:.*]] = %[[M]], %[[L0:.*]] = %[[L]], %[[O0:.*]] = %[[O]], %[[LIM0:.*]] = %[[NINF]], %[[B0:.*]] = %[[B]])
// CHECK: %[[S:.*]] = fmha.product k %{{.*}}, %{{.*}} from %[[B0]]
// CHECK: %[[X:.*]] = fmha.mask %[[S]]
// CHECK-NEXT: %[[S1:.*]], %[[B1:.*]], %[[LIM1:.*]], %[[M1:.*]], %[[C:.*]], %[[ANY:.*]] = fmha.rebase %[[X]], %[[B0]], %[[LIM0]], %[[M0]]
// CHECK-NEXT: fmha.rescale_if %[[ANY]], %[[O0]], %[[L0]], %[[C]]
// CHECK-NEXT: fmha.exp %[[S1]]
// CHECK-NOT: fmha.subtract
// CHECK: fmha.yield %[[M1]], %{{.*}}, %{{.*}}, %[[LIM1]], %[[B1]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, scale = start, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#problem) schedule(#schedule)
