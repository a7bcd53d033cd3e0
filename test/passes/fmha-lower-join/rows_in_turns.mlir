// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-join | FileCheck %s

// A wave has a row of 512 columns, and two waves have 64 rows: 32 rounds. Loads of the next row are before what is
// done with this one, without a branch round them: where there is no next row they load the wave's first once more.
// The wave has a row, so that its number is its wave's.
// CHECK: fmha.lds_base 2064
// CHECK: scf.while
// CHECK: scf.while (%[[BEGIN:[^ ]*]] = %{{[^ ]*}}, %[[W0:[^ ]*]] = %{{[^ ]*}},
// CHECK-NOT: scf.if
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEGIN]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[NEXT]], %[[WAVE:.*]] : i32
// CHECK: %[[OTHER:.*]] = arith.minsi %[[WAVE]]
// CHECK: arith.select %{{.*}}, %[[NUMBER]], %[[OTHER]]
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: scf.if
// CHECK: amdgpu.sched_barrier
// CHECK: scf.if
// CHECK: scf.condition
// Rows are those of a group of heads of Q, and the sink is that of a row's head, in the sum of a unit alone.
// CHECK-NOT: fmha.join_parts

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 512, mask = none, sink = true, work = runs, parts = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, rows = group, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %wave = fmha.id wave : i32
  %part:5 = fmha.find_parts of %wave : i32, i32, i32, i32, i32
  fmha.join_parts %part#1 of %part#0 in %part#2 rows %part#3 of (%wave, %wave, %wave) later %part#4 wave %wave
}
