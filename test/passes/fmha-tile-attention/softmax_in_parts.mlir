// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// The parts in the order of the schedule. Besides maximum, sum and O the shift is carried,
// which starts at 0: that of a row that saw no key. The sum is that of each lane until the
// end; behind the loop the lanes that share a row add theirs.
// CHECK: %[[M:.*]] = fmha.init 0xFF800000 : !fmha.tile<256xf32>
// CHECK: %[[L:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256xf32>
// CHECK: %[[O:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256x128xf32>
// CHECK: %[[SH:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256xf32>
// CHECK: %[[R:.*]]:4 = fmha.kv_loop %{{.*}} iter_args(%[[M0:.*]] = %[[M]], %[[L0:.*]] = %[[L]], %[[O0:.*]] = %[[O]], %[[SH0:.*]] = %[[SH]])
// CHECK-NEXT: %[[K:.*]] = fmha.load_k
// CHECK-NEXT: %[[V:.*]] = fmha.load_v
// CHECK-NEXT: %[[S:.*]] = fmha.qk %{{.*}}, %[[K]]
// CHECK-NEXT: %[[X:.*]] = fmha.mask %[[S]]
// CHECK-NEXT: %[[M1:.*]], %[[SH1:.*]], %[[C:.*]], %[[ANY:.*]] = fmha.row_max %[[X]], %[[M0]], %[[SH0]], %[[F:.*]] :
// CHECK-NEXT: %[[O1:.*]], %[[L1:.*]] = fmha.rescale_if %[[ANY]], %[[O0]], %[[L0]], %[[C]]
// CHECK-NEXT: %[[D:.*]] = fmha.subtract %[[X]], %[[SH1]], %[[F]] :
// CHECK-NEXT: %[[W:.*]] = fmha.exp %[[D]]
// CHECK-NEXT: %[[L2:.*]] = fmha.row_sum %[[W]] to %[[L1]]
// CHECK-NEXT: %[[P:.*]] = fmha.convert %[[W]]
// CHECK-NEXT: %[[O2:.*]] = fmha.pv %[[P]], %[[V]], %[[O1]]
// CHECK-NEXT: fmha.yield %[[M1]], %[[L2]], %[[O2]], %[[SH1]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[SUM:.*]] = fmha.combine_rows %[[R]]#1
// CHECK-NEXT: fmha.normalize %[[R]]#2, %[[SUM]]

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, score_mod, mask, row_max, rescale, subtract, exp, row_sum, convert, pv],
  rescale = lazy, lazy_log2 = 8>
fmha.attention @attn problem(#problem) schedule(#schedule)
