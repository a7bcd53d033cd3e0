// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%b: !fmha.lds<32x32xbf16, 0, #lds>, %t: !fmha.token, %some: !fmha.tile<32x64xbf16>):
  // expected-error @+1 {{'fmha.read' op failed to verify that partial is of the type of tile}}
  %0 = fmha.read k %b after %t part <1 to 2 of 2> onto %some : !fmha.tile<32x64xbf16> : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%b: !fmha.lds<32x32xbf16, 0, #lds>, %t: !fmha.token, %some: !fmha.tile<32x32xbf16>):
  // expected-error @+1 {{'fmha.read' op failed to verify that partial comes with a part}}
  %0 = "fmha.read"(%b, %t, %some) <{operand = #fmha<operand k>}> : (!fmha.lds<32x32xbf16, 0, #lds>, !fmha.token, !fmha.tile<32x32xbf16>) -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%b: !fmha.lds<32x32xbf16, 0, #lds>, %t: !fmha.token, %some: !fmha.tile<32x64xbf16>):
  // expected-error @+1 {{'fmha.read' op failed to verify that partial is of the type of tile}}
  %0 = fmha.read v %b after %t part <1 to 2 of 2> onto %some : !fmha.tile<32x64xbf16> : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%b: !fmha.lds<32x32xbf16, 0, #lds>, %t: !fmha.token, %some: !fmha.tile<32x32xbf16>):
  // expected-error @+1 {{'fmha.read' op failed to verify that partial comes with a part}}
  %0 = "fmha.read"(%b, %t, %some) <{operand = #fmha<operand v>}> : (!fmha.lds<32x32xbf16, 0, #lds>, !fmha.token, !fmha.tile<32x32xbf16>) -> !fmha.tile<32x32xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%b: !fmha.lds<32x32xbf16, 0, #lds>, %t: !fmha.token):
  // expected-error @+1 {{'fmha.read' op attribute 'operand' failed to satisfy constraint: a tensor of the problem whose tiles go through LDS}}
  %0 = fmha.read bias %b after %t : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
}
