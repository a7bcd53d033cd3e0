// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s

// CHECK: scf.if
// CHECK: scf.while
// CHECK: rocdl.s.barrier
// CHECK: scf.condition

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @attn problem(#problem) schedule(#schedule) {
  %lo = arith.constant 0 : i32
  %hi = fmha.arg seqlen_kv : i32
  fmha.kv_loop %t = %lo to %hi {
    rocdl.s.barrier
    fmha.yield
  }
}
