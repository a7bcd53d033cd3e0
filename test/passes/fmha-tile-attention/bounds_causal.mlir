// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// Row i sees keys j < min(Sk, i + Sk - Sq + 1). The last row of q_tile's M = 256 rows
// is i = min((q_tile + 1) * M, Sq) - 1, the last that there is; the keys it sees, no
// less than 0, are rounded up to tiles of N = 32.
// CHECK-LABEL: fmha.kernel @attn
// CHECK: fmha.work grid (%[[FIRST:.*]], %{{.*}}, %{{.*}}) {
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[SQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[M2:.*]] = arith.constant 256 : i32
// CHECK: %[[QEND:.*]] = arith.addi %[[FIRST]], %[[M2]] : i32
// CHECK: %[[ROWS:.*]] = arith.minsi %[[QEND]], %[[SQ]] : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %[[ONE]] : i32
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[SK2:.*]] = fmha.seq_len kv : i32
// CHECK: %[[SQ2:.*]] = fmha.seq_len q : i32
// CHECK: %[[DELTA:.*]] = arith.subi %[[SK2]], %[[SQ2]] : i32
// CHECK: %[[D:.*]] = arith.addi %[[LAST]], %[[DELTA]] : i32
// CHECK: %[[ONE2:.*]] = arith.constant 1 : i32
// CHECK: %[[SEEN:.*]] = arith.addi %[[D]], %[[ONE2]] : i32
// CHECK: %[[LIMIT:.*]] = arith.minsi %[[SEEN]], %[[SK]] : i32
// CHECK: %[[KEYS:.*]] = arith.maxsi %[[LIMIT]], %[[ZERO]] : i32
// CHECK: %[[LESS:.*]] = arith.constant 31 : i32
// CHECK: %[[UP:.*]] = arith.addi %[[KEYS]], %[[LESS]] : i32
// CHECK: %[[END:.*]] = arith.divui %[[UP]], %[[N]] : i32
// CHECK: fmha.kv_loop %{{.*}} = %[[ZERO]] to %[[END]]
fmha.attention @attn problem(#problem) schedule(#schedule)
