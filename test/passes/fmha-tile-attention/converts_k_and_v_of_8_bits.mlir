// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// K of e4m3 and V of e5m2 as memory has them, in tiles of Q's type: all that follows is of 16 bits,
// P among it. Weights are not lifted.
// CHECK-DAG: %[[K:.*]] = fmha.view k : !fmha.view<32, f8E4M3FN>
// CHECK-DAG: %[[V:.*]] = fmha.view v : !fmha.view<32, f8E5M2>
// CHECK: %[[KT:.*]] = fmha.load k %{{.*}} : !fmha.rows<32, f8E4M3FN> -> !fmha.tile<32x32xf16>
// CHECK: %[[VT:.*]] = fmha.load v %{{.*}} : !fmha.rows<32, f8E5M2> -> !fmha.tile<32x32xf16>
// CHECK: fmha.product k %{{.*}}, %[[KT]] : !fmha.tile<32x32xf16>, !fmha.tile<32x32xf16>
// CHECK-NOT: lift
// CHECK: %[[P:.*]] = fmha.convert %{{.*}} -> !fmha.tile<32x32xf16>
// CHECK: fmha.product v %[[P]], %[[VT]]
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp, write_v]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv, write_k ahead 1]>]>>
#problem = #fmha.problem<q = f16, k = f8E4M3FN, v = f8E5M2, p = f16, o = f16, head_dim_qk = 32, head_dim_v = 32, mask = none>
fmha.attention @a problem(#problem) schedule(#schedule)
