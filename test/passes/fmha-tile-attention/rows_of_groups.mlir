// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// A tile has rows of the heads that share one of K and V. What is uniform in tiles of one head
// is a value of each row: slopes and the sink, ahead of the loop. Keys end with the limit of
// the row of Q of the last row of the tile, of n G rows.
// CHECK: fmha.kernel @k {{.*}} launch(<grid = ["ceil(Sq * ceil(Hq / Hk) / 64)", "Hk", "B"], block = 128>)
// CHECK: fmha.work grid (%[[FIRST:.*]], %{{.*}}, %{{.*}}) {
// CHECK: %[[SLOPES:.*]] = fmha.view alibi_slopes : !fmha.view<1, f32>
// CHECK: %[[SLOPE:.*]] = fmha.load_factors %[[SLOPES]] : !fmha.view<1, f32> -> !fmha.tile<64xf32>
// CHECK: %[[SINKS:.*]] = fmha.view sink : !fmha.view<1, f32>
// CHECK: %[[SINK:.*]] = fmha.load_factors %[[SINKS]] : !fmha.view<1, f32> -> !fmha.tile<64xf32>
// CHECK: %[[N:.*]] = fmha.seq_len q : i32
// CHECK: %[[G:.*]] = fmha.arg group_size : i32
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %[[G]] : i32
// CHECK: %[[PAST:.*]] = arith.addi %[[FIRST]], %c64_i32 : i32
// CHECK: %[[END:.*]] = arith.minsi %[[PAST]], %[[ROWS]] : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %{{.*}} : i32
// CHECK: %[[TWICE:.*]] = arith.shli %[[LAST]], %{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[TWICE]] : i32 to i64
// CHECK: fmha.arg group_multiplier : i64
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[WIDE]], %{{.*}} : i64
// CHECK: %[[UPPER:.*]] = arith.shrui %[[PRODUCT]], %c32_i64 : i64
// CHECK: %[[WORD:.*]] = arith.trunci %[[UPPER]] : i64 to i32
// CHECK: %[[SHIFT:.*]] = fmha.arg group_shift : i32
// CHECK: %[[ROW:.*]] = arith.shrui %[[WORD]], %[[SHIFT]] : i32
// CHECK: arith.addi %[[ROW]], %{{.*}} : i32
// CHECK: fmha.kv_loop
// CHECK: %[[SCALED:.*]] = fmha.score_mod
// CHECK-NOT: arith.subf
// CHECK: %[[BENT:.*]] = fmha.subtract_alibi %[[SCALED]], %[[SLOPE]], %{{.*}} : !fmha.tile<64x32xf32>, !fmha.tile<64xf32>
// CHECK: fmha.mask %[[BENT]]
// CHECK: fmha.add_sink %{{.*}}, %[[SINK]] of !fmha.tile<64xf32> : !fmha.tile<64xf32>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal, alibi = true, sink = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rows = group, pipeline = <stages = [<@all compute [load_k, load_v, read_k, qk, score_mod, mask, row_max, subtract, exp, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @k problem(#problem) schedule(#schedule)

// A factor of Q by head is one of each row, which takes the scale and that of K.
// CHECK: fmha.kernel @factors
// CHECK: %[[SCALE:.*]] = arith.mulf
// CHECK: %[[VIEW:.*]] = fmha.view q_scale : !fmha.view<1, f32>
// CHECK: %[[OWN:.*]] = fmha.load_factors %[[VIEW]]
// CHECK: fmha.scale_rows %[[OWN]], %[[SCALE]] : !fmha.tile<64xf32>
#fp8 = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none, q_scale = head, k_scale = head>
#fp8_schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rows = group, pipeline = <stages = [<@all compute [load_k, load_v, read_k, qk, score_mod, mask, row_max, subtract, exp, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @factors problem(#fp8) schedule(#fp8_schedule)
