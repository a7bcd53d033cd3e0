// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// Shapes: Q is M x Dqk, K is N x Dqk, S and P are M x N, V is N x Dv, O is M x Dv;
// M = 256, N = 32, Dqk = 128, Dv = 64.
// CHECK-LABEL: fmha.kernel @attn
// CHECK-DAG: %[[QV:.*]] = fmha.view q : !fmha.view<128, bf16>
// CHECK-DAG: %[[KV:.*]] = fmha.view k : !fmha.view<128, bf16>
// CHECK-DAG: %[[VV:.*]] = fmha.view v : !fmha.view<64, bf16>
// CHECK-DAG: %[[SCALE:.*]] = fmha.arg scale : f32
// CHECK: %[[Q0:.*]] = fmha.load_q %[[QV]] : !fmha.view<128, bf16> -> !fmha.tile<256x128xbf16>
//
// The factor is |scale * log2(e)|, kept at 2^-100 or more; log2(e) = 1.44269504...,
// 2^-100 = 7.8886e-31. The sign goes to Q.
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[SL:.*]] = arith.mulf %[[SCALE]], %[[LOG2E]] : f32
// CHECK: %[[ABS:.*]] = math.absf %[[SL]] : f32
// CHECK: %[[TINY:.*]] = arith.constant 7.88860905E-31 : f32
// CHECK: %[[FACTOR:.*]] = arith.maxnumf %[[ABS]], %[[TINY]] : f32
// CHECK: %[[Q:.*]] = fmha.apply_sign %[[Q0]], %[[SCALE]] : !fmha.tile<256x128xbf16>
// CHECK: %[[LIMIT:.*]] = fmha.key_limit : !fmha.tile<256xi32>
//
// Before the first key: m = -inf, l = 0, O = 0, and 0 is what is added to scores. The sum
// is that of each lane until the end; after the loop the lanes that share a row add theirs.
// CHECK: %[[M0:.*]] = fmha.init 0xFF800000 : !fmha.tile<256xf32>
// CHECK: %[[L0:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256xf32>
// CHECK: %[[O0:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256x64xf32>
// CHECK: %[[SH0:.*]] = fmha.init 0.000000e+00 : !fmha.tile<256xf32>
// CHECK: %[[R:.*]]:4 = fmha.kv_loop %[[T:.*]] = {{.*}} iter_args(%[[M:.*]] = %[[M0]], %[[L:.*]] = %[[L0]], %[[O:.*]] = %[[O0]], %[[SH:.*]] = %[[SH0]])
// CHECK-NEXT: {{.*}} = fmha.rows k %[[KV]], %[[T]] :
// CHECK-NEXT: %[[K:.*]] = fmha.load k %{{.*}} : !fmha.rows<128, bf16> -> !fmha.tile<32x128xbf16>
// CHECK-NEXT: {{.*}} = fmha.rows v %[[VV]], %[[T]] :
// CHECK-NEXT: %[[V:.*]] = fmha.load v %{{.*}} : !fmha.rows<64, bf16> -> !fmha.tile<32x64xbf16>
// CHECK-NEXT: %[[S:.*]] = fmha.product k %[[Q]], %[[K]] : {{.*}} -> !fmha.tile<256x32xf32>
// CHECK-NEXT: %[[X:.*]] = fmha.mask %[[S]], %[[LIMIT]], %[[T]]
// CHECK-NEXT: %[[M1:.*]], %[[SH1:.*]], %[[C:.*]], %[[ANY:.*]] = fmha.row_max %[[X]], %[[M]], %[[SH]], %[[FACTOR]] :
// CHECK-NEXT: %[[O1:.*]], %[[L1:.*]] = fmha.rescale_if %[[ANY]], %[[O]], %[[L]], %[[C]]
// CHECK-NEXT: %[[D:.*]] = fmha.subtract %[[X]], %[[SH1]], %[[FACTOR]] :
// CHECK-NEXT: %[[W:.*]] = fmha.exp %[[D]]
// CHECK-NEXT: %[[P:.*]] = fmha.convert %[[W]] : {{.*}} -> !fmha.tile<256x32xbf16>
// CHECK-NEXT: %[[L2:.*]] = fmha.row_sum %[[W]] to %[[L1]]
// CHECK-NEXT: %[[O2:.*]] = fmha.product v %[[P]], %[[V]] onto %[[O1]]
// CHECK-NEXT: fmha.yield %[[M1]], %[[L2]], %[[O2]], %[[SH1]]
// CHECK: %[[SUM:.*]] = fmha.combine_rows %[[R]]#1
// CHECK-NEXT: %[[OUT:.*]] = fmha.normalize %[[R]]#2, %[[SUM]]
// CHECK: %[[OV:.*]] = fmha.view o : !fmha.view<64, bf16>
// CHECK: fmha.store_o %[[OUT]], %[[OV]]
fmha.attention @attn problem(#problem) schedule(#schedule)
