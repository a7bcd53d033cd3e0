// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// The grid is that of the longest sequence: a workgroup whose first row lies past its
// own has no key tile.
// CHECK-LABEL: fmha.kernel @attn
// CHECK: fmha.work grid (%[[FIRST:.*]], %{{.*}}, %{{.*}}) {
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[SQ:.*]] = fmha.seq_len q : i32
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[KEYS:.*]] = arith.maxsi %[[SK]], %[[ZERO]] : i32
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST]], %[[SQ]] : i32
// CHECK: %[[SEEN:.*]] = arith.select %[[ANY]], %[[KEYS]], %[[ZERO]] : i32
// CHECK: arith.addi %[[SEEN]], %{{.*}} : i32

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none, varlen_q = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @attn problem(#problem) schedule(#schedule)
