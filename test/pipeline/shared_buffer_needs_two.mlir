// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of one buffer the next tile of K would come while V is read from it.
// RUN: not %fmhac-opt %s -fmha-tile-attention -fmha-assign-lane-layouts -fmha-plan-lds -fmha-software-pipeline -fmha-wave-stagger -fmha-insert-waits -fmha-verify-rung=rung=synced 2>&1 | FileCheck %s
// With two it does not.
// RUN: sed 's/max_pad_bytes = 64>, v/max_pad_bytes = 64, buffers = 2>, v/' %s > %t
// RUN: %fmhac-opt %t -fmha-tile-attention -fmha-assign-lane-layouts -fmha-plan-lds -fmha-software-pipeline -fmha-wave-stagger -fmha-insert-waits -fmha-verify-rung=rung=synced -o %t.out
// RUN: FileCheck %s --check-prefix=TWO < %t.out

// CHECK: error: read_v in @output reads what may not be there yet of load_k ahead 1 in @output: {{.*}}; V is read from K's buffer (v = <shared = true>), which K's next tile takes: try two, k = <buffers = 2>

// Past the last tile K is one without keys, since V's product sums them: index Sk / 32, rounded up.
// TWO: arith.divui
// TWO: %[[END:.*]] = arith.divui
// TWO: fmha.kv_loop
// TWO: fmha.stage @output
// TWO: %[[TILE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[END]] : i32
// TWO: %[[ROWS:.*]] = fmha.rows k %{{.*}}, %[[TILE]]
// TWO: fmha.copy k %[[ROWS]]
// TWO: fmha.read v

#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 4, waves_per_simd = 1,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64, shared = true>,
  pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @shared problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 576, head_dim_v = 512, mask = none, v_in_k = true>) schedule(#schedule)
