// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -o %t.synced
// RUN: %fmhac-opt %s -fmha-number-lines | diff %t.synced -
// RUN: %fmhac-opt %s -fmha-number-lines=rung=synced -emit-bytecode -o %t.bytecode
// RUN: %fmhac-opt %t.bytecode -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Lines are those of the module as fmhac-opt prints it: aliases first, three of them, then
// `module`, so that `fmha.kernel` is line 5. Its text does not change. An op on tiles is a
// step, as are the ops in its region, each at its own line; waits, ids and what else a
// kernel does beside them are none. (Flags that change how a module is printed change its
// lines: hence the second process.)
// CHECK: fmha.kernel @k
// CHECK: fmha.id {{.*}} loc("k.synced.mlir":7:0)
// CHECK: fmha.score_mod
// CHECK: arith.addf {{.*}} loc(callsite("score_mod"("k.synced.mlir":9:0) at "k.synced.mlir":8:0))
// CHECK: fmha.yield {{.*}} loc(callsite("score_mod"("k.synced.mlir":10:0) at "k.synced.mlir":8:0))
// CHECK: loc(callsite("score_mod"("k.synced.mlir":8:0) at "k.synced.mlir":8:0))
// CHECK: amdgpu.memory_counter_wait ds(0) loc("k.synced.mlir":12:0)
// CHECK: fmha.to_lanes {{.*}} loc(callsite("to_lanes"("k.synced.mlir":13:0) at "k.synced.mlir":13:0))
// CHECK: loc("k.synced.mlir":5:0)
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!s = !fmha.tile<64x32xf32, #s>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32, %f: f32):
  %id = fmha.id head : i32
  %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    %y = arith.addf %score, %f : f32
    fmha.yield %y : f32
  } : !s
  amdgpu.memory_counter_wait ds(0)
  %l = fmha.to_lanes %x : !s -> vector<16xf32>
}
