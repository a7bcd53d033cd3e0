// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-select-schedule=schedule=generic,dualwave -split-input-file | FileCheck %s
// RUN: not %fmhac-opt %s -fmha-select-schedule=schedule=generic,dualwave,generic_wide -o /dev/null

// Names go to the problems without a schedule, in order.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK-DAG: #[[OWN:.*]] = #fmha.schedule<tile_m = 32,
// CHECK-DAG: #[[GENERIC:.*]] = #fmha.schedule<tile_m = 128,
// CHECK-DAG: #[[DUALWAVE:.*]] = #fmha.schedule<tile_m = 256,
// CHECK: fmha.attention @few {{.*}} schedule(#[[GENERIC]]) when "Sk <= 256"
fmha.attention @few problem(#problem) when "Sk <= 256"
// CHECK: fmha.attention @own {{.*}} schedule(#[[OWN]])
fmha.attention @own problem(#problem) schedule(#schedule)
// CHECK: fmha.attention @many {{.*}} schedule(#[[DUALWAVE]])
fmha.attention @many problem(#problem)
