// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// O of 40 of 64 columns, fragments of 4 columns of 16x16x32: at 0, 16 and 32, not at 48.
// CHECK-LABEL: llvm.func @k
// CHECK: scf.while ({{.*}}) : (i32, vector<4xf32>, vector<4xf32>, vector<4xf32>) -> (i32, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-NOT: fmha.

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 40, head_dim_v = 40, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
!o = !fmha.tile<32x64xf32, cols = 40, #o>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %v = arith.constant dense<2.0> : vector<4xf32>
  %o0 = fmha.from_lanes %v, %v, %v : vector<4xf32>, vector<4xf32>, vector<4xf32> -> !o
  %lo = arith.constant 0 : i32
  %hi = fmha.arg seqlen_kv : i32
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%o = %o0) -> (!o) {
    %l:3 = fmha.to_lanes %o : !o -> vector<4xf32>, vector<4xf32>, vector<4xf32>
    %s = arith.addf %l#0, %l#2 : vector<4xf32>
    %n = fmha.from_lanes %s, %l#1, %s : vector<4xf32>, vector<4xf32>, vector<4xf32> -> !o
    fmha.yield %n : !o
  }
  %x:3 = fmha.to_lanes %r : !o -> vector<4xf32>, vector<4xf32>, vector<4xf32>
  %p = fmha.arg o : i64
  %ptr = llvm.inttoptr %p : i64 to !llvm.ptr<1>
  llvm.store %x#2, %ptr : vector<4xf32>, !llvm.ptr<1>
}
