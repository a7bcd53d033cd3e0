// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 64, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// Row i sees keys j <= i + Sk - Sq. The last row of q_tile's M = 256 rows is
// i = (q_tile + 1) * M - 1: keys 0 .. (q_tile + 1) * M + Sk - Sq - 1, a number that
// is clamped to 0..Sk before it is rounded up to tiles of N = 32.
// CHECK-LABEL: fmha.kernel @attn
// CHECK: %[[SK:.*]] = fmha.arg seqlen_kv : i32
// CHECK: %[[TILE:.*]] = fmha.id q_tile : i32
// CHECK: %[[M:.*]] = arith.constant 256 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %[[M]] : i32
// CHECK: %[[M2:.*]] = arith.constant 256 : i32
// CHECK: %[[QEND:.*]] = arith.addi %[[FIRST]], %[[M2]] : i32
// CHECK: %[[SQ:.*]] = fmha.arg seqlen_q : i32
// CHECK: %[[DELTA:.*]] = arith.subi %[[SK]], %[[SQ]] : i32
// CHECK: %[[SEEN:.*]] = arith.addi %[[QEND]], %[[DELTA]] : i32
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[POS:.*]] = arith.maxsi %[[SEEN]], %[[ZERO]] : i32
// CHECK: %[[KEYS:.*]] = arith.minsi %[[POS]], %[[SK]] : i32
// CHECK: %[[LESS:.*]] = arith.constant 31 : i32
// CHECK: %[[UP:.*]] = arith.addi %[[KEYS]], %[[LESS]] : i32
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[END:.*]] = arith.divui %[[UP]], %[[N]] : i32
// CHECK: fmha.kv_loop %{{.*}} = %{{.*}} to %[[END]]
fmha.attention @attn problem(#problem) schedule(#schedule)
