// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// The loop tests at its end, after a test that it runs at all (0 < tiles). Tiles are
// carried as their fragments, one vector each: m is vector<1>, O one vector<16>.
// CHECK-LABEL: llvm.func @attn
// CHECK-SAME: %[[SK:arg9]]: i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[M0:.*]] = arith.constant dense<1.000000e+00> : vector<1xf32>
// CHECK-DAG: %[[O0:.*]] = arith.constant dense<2.000000e+00> : vector<16xf32>
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[SK]], %[[ZERO]] : i32
// CHECK: %[[R:.*]]:2 = scf.if %[[RUNS]] -> (vector<1xf32>, vector<16xf32>) {
// CHECK: %[[W:.*]]:3 = scf.while (%[[T:.*]] = %[[ZERO]], %[[M:.*]] = %[[M0]], %[[O:.*]] = %[[O0]]) : (i32, vector<1xf32>, vector<16xf32>) -> (i32, vector<1xf32>, vector<16xf32>) {
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[O]], %[[O]] : vector<16xf32>
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[T]], %[[ONE]] : i32
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[SK]] : i32
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[NEXT]], %[[M]], %[[N]]
// CHECK: } do {
// CHECK-NEXT: ^bb0(%[[T2:.*]]: i32, %[[M2:.*]]: vector<1xf32>, %[[O2:.*]]: vector<16xf32>):
// CHECK-NEXT: scf.yield %[[T2]], %[[M2]], %[[O2]]
// CHECK: scf.yield %[[W]]#1, %[[W]]#2
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[M0]], %[[O0]]
// CHECK: llvm.store %[[R]]#1
// CHECK-NOT: fmha.

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 3,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!o = !fmha.tile<64x32xf32, #o>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  %v1 = arith.constant dense<1.0> : vector<1xf32>
  %v16 = arith.constant dense<2.0> : vector<16xf32>
  %m0 = fmha.from_lanes %v1 : vector<1xf32> -> !row
  %o0 = fmha.from_lanes %v16 : vector<16xf32> -> !o
  %lo = arith.constant 0 : i32
  %hi = fmha.arg seqlen_kv : i32
  %r:2 = fmha.kv_loop %t = %lo to %hi iter_args(%m = %m0, %o = %o0) -> (!row, !o) {
    %l = fmha.to_lanes %o : !o -> vector<16xf32>
    %s = arith.addf %l, %l : vector<16xf32>
    %n = fmha.from_lanes %s : vector<16xf32> -> !o
    rocdl.s.barrier
    fmha.yield %m, %n : !row, !o
  }
  %l = fmha.to_lanes %r#1 : !o -> vector<16xf32>
  %p = fmha.arg o : i64
  %ptr = llvm.inttoptr %p : i64 to !llvm.ptr<1>
  llvm.store %l, %ptr : vector<16xf32>, !llvm.ptr<1>
}
