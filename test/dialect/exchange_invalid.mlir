// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected bytes of an exchange, found 0}}
llvm.func @none() attributes {type = !fmha.exchange<0>}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.exchange<4096>, %t: !fmha.token, %f: f32, %o: !fmha.tile<16x64xf32>):
  // expected-error @+1 {{'fmha.gather' op failed to verify that partial comes with a part}}
  %o1, %m, %l = "fmha.gather"(%x, %t, %f, %o) : (!fmha.exchange<4096>, !fmha.token, f32, !fmha.tile<16x64xf32>) -> (!fmha.tile<16x64xf32>, !fmha.tile<16xf32>, !fmha.tile<16xf32>)
}
