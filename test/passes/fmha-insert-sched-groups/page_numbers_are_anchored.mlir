// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-sched-groups | FileCheck %s

// The number of a page is asked for at the end of the stage that looks it up, whether or not
// the schedule has an anchor there; a stage that passes it on has none.
// CHECK: fmha.stage @k_in
// CHECK: %[[PAGE:.*]] = fmha.look_up
// CHECK: fmha.anchor %[[PAGE]] : i32
// CHECK-NEXT: fmha.yield %[[PAGE]]
// CHECK: fmha.stage @v_in
// CHECK-NOT: fmha.anchor

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, lengths_kv = true, pages = table, page_size = 64>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = free, stages = [
    <@k_in memory [page_k ahead 2, read_k, load_v]>,
    <@scores compute [qk, exp[1 to 2 of 2] ahead -1, row_sum ahead -1, convert ahead -1] anchor>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, row_max]>,
    <@output compute [pv ahead -1, subtract, exp[0 to 1 of 2]] anchor>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%table: !fmha.view<1, i32>, %i: i32):
  %0 = fmha.stage @k_in memory {
    %1 = fmha.look_up k %table, %i : !fmha.view<1, i32> -> i32
    fmha.yield %1 : i32
  } : i32
  %2 = fmha.stage @v_in memory {
    fmha.yield %0 : i32
  } : i32
}
