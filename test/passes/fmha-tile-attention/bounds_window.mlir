// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// Keys of row i with d = i + Sk - Sq: d - 5 <= j <= d + 3. Over the rows of a tile of
// M = 256: to the last row's end, min(d + 4, Sk), rounded up to tiles of N = 32; from
// the first row's start, max(d - 5, 0), rounded down.
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
// CHECK: %[[KEND:.*]] = fmha.seq_len kv : i32
// CHECK: %[[ASK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[ASQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[ADELTA:.*]] = arith.subi %[[ASK]], %[[ASQ]] : i32
// CHECK: %[[AD:.*]] = arith.addi %[[LAST]], %[[ADELTA]] : i32
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[SEEN:.*]] = arith.addi %[[AD]], %[[C4]] : i32
// CHECK: %[[LIMIT:.*]] = arith.minsi %[[SEEN]], %[[KEND]] : i32
// CHECK: %[[KEYS:.*]] = arith.maxsi %[[LIMIT]], %[[ZERO]] : i32
// CHECK: %[[LESS:.*]] = arith.constant 31 : i32
// CHECK: %[[UP:.*]] = arith.addi %[[KEYS]], %[[LESS]] : i32
// CHECK: %[[END:.*]] = arith.divui %[[UP]], %[[N]] : i32
// CHECK: %[[BSK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[BSQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[BDELTA:.*]] = arith.subi %[[BSK]], %[[BSQ]] : i32
// CHECK: %[[BD:.*]] = arith.addi %[[FIRST]], %[[BDELTA]] : i32
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: %[[C5:.*]] = arith.constant -5 : i32
// CHECK: %[[FROM:.*]] = arith.addi %[[BD]], %[[C5]] : i32
// CHECK: %[[KFIRST:.*]] = arith.maxsi %[[FROM]], %[[Z]] : i32
// CHECK: %[[BEGIN:.*]] = arith.divui %[[KFIRST]], %[[N]] : i32
// CHECK: fmha.kv_loop %{{.*}} = %[[BEGIN]] to %[[END]]

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = window, window_left = 5, window_right = 3>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#problem) schedule(#schedule)
