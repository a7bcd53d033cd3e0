// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -verify-diagnostics

// A load of a tile that was not split goes to memory, and does not say how many
// instructions it will be: no wait after it could be proved.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32):
  %at0 = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-error @+1 {{'fmha.load' op goes to memory: expected to know how many instructions a wait counts}}
  %0 = fmha.load k %at0 : !fmha.rows<32, bf16> -> !fmha.tile<64x32xbf16>
}
