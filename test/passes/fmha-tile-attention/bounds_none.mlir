// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>

// Every key is seen: tiles 0 to ceil(Sk / N) = (Sk + N - 1) / N, N = 32.
// CHECK-LABEL: fmha.kernel @attn
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK-NEXT: %[[KEYS:.*]] = arith.maxsi %[[SK]], %[[ZERO]] : i32
// CHECK-NEXT: %[[LESS:.*]] = arith.constant 31 : i32
// CHECK-NEXT: %[[UP:.*]] = arith.addi %[[KEYS]], %[[LESS]] : i32
// CHECK-NEXT: %[[END:.*]] = arith.divui %[[UP]], %[[N]] : i32
// CHECK-NOT: arith.
// CHECK: fmha.kv_loop %{{.*}} = %[[ZERO]] to %[[END]]
fmha.attention @attn problem(#problem) schedule(#schedule)
// CHECK-NOT: fmha.attention
