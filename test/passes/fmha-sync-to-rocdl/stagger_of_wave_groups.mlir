// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// 8 waves: the second half are waves 4 to 7, the first 0 to 3. A half goes through as many
// barriers as it says, the other through none.
// CHECK: fmha.kernel
// CHECK: %[[W:.*]] = fmha.id wave : i32
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: %[[SECOND:.*]] = arith.cmpi sge, %[[W]], %[[FOUR]] : i32
// CHECK: scf.if %[[SECOND]] {
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: }
// CHECK: %[[W1:.*]] = fmha.id wave : i32
// CHECK: %[[FOUR1:.*]] = arith.constant 4 : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[W1]], %[[FOUR1]] : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: }
// CHECK-NOT: rocdl.s.barrier
// CHECK-NOT: fmha.stagger

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.stagger second barriers 1
  fmha.stagger first barriers 2
}
