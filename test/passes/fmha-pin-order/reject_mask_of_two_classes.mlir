// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-pin-order -verify-diagnostics

// VALU and MFMA, 0x2 and 0x8: which of them comes first is not said.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <instructions = pinned, stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  fmha.wall @all
  // expected-error @+1 {{'rocdl.sched.group.barrier' op expected the mask of one class of instructions, found 10; instructions = grouped leaves it to LLVM}}
  rocdl.sched.group.barrier 10, 1, 0
  fmha.wall
}
