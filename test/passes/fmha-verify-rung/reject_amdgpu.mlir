// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=amdgpu -split-input-file -verify-diagnostics

// Hardware operations beside arith and llvm: the rung is reached.
llvm.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32
  rocdl.s.barrier
  llvm.return
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{'fmha.kernel' op expected no op of the dialect at this rung, found one}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}

// -----

llvm.func @f() {
  // expected-error @+1 {{'fmha.wall' op expected no op of the dialect at this rung, found one}}
  fmha.wall
  llvm.return
}
