// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// 16x16x32: a row lies in 4 lanes, bits 4 and 5, 16 + 32 = 48; a lane holds rows c and
// c + 32, one store each.
// CHECK: %[[C48:.*]] = arith.constant 48 : i32
// CHECK: arith.andi %{{.*}}, %[[C48]] : i32
// CHECK: %[[OFF:.*]] = arith.select
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[R0:.*]] = arith.addi %[[R:.*]], %[[C0]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[R1:.*]] = arith.addi %[[R]], %[[C32]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[OFF]], %{{.*}}, %{{.*}} : f32
// CHECK-NOT: rocdl.raw.ptr.buffer.store

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#rows = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[1], [2], [4], [8], [0], [0]], wave = [[16]]>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !row):
  %view = fmha.view lse : !fmha.view<1, f32>
  fmha.store_lse %x, %view : !row, !fmha.view<1, f32>
}
