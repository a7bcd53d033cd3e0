// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32xbf16>, %v: !fmha.tile<64x16xbf16>, %o: !fmha.tile<32x16xf32>):
  // expected-error @+1 {{'fmha.product' op operand #0 must be a tile of two dimensions, but got '!fmha.tile<32xbf16>'}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x16xf32> : !fmha.tile<32xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32x16xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64xbf16>, %o: !fmha.tile<32x16xf32>):
  // expected-error @+1 {{'fmha.product' op operand #1 must be a tile of two dimensions, but got '!fmha.tile<64xbf16>'}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x16xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<64xbf16> -> !fmha.tile<32x16xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64x16xbf16>, %o: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.product' op operand #2 must be a tile of two dimensions of f32, but got '!fmha.tile<32xf32>'}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<32x16xbf16>, %o: !fmha.tile<32x16xf32>):
  // expected-error @+1 {{'fmha.product' op expected columns of a and rows of b to be as many, found 64 in 64 and 32 in 32}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x16xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<32x16xbf16> -> !fmha.tile<32x16xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64x16xbf16>, %o: !fmha.tile<64x16xf32>):
  // expected-error @+1 {{'fmha.product' op expected the result to be 32x16 elements, found 64x16}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<64x16xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<64x16xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64x32xbf16, cols = 24>, %o: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{'fmha.product' op expected the result to have the 24 columns of b, found 32}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x32xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<64x32xbf16, cols = 24> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64x16xf16>, %o: !fmha.tile<32x16xf32>):
  // expected-error @+1 {{'fmha.product' op expected elements of b to be 'bf16', found 'f16'}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x16xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<64x16xf16> -> !fmha.tile<32x16xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64x16xbf16>, %o: !fmha.tile<32x16xbf16>):
  // expected-error @+1 {{'fmha.product' op operand #2 must be a tile of two dimensions of f32, but got '!fmha.tile<32x16xbf16>'}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x16xbf16> : !fmha.tile<32x64xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32x16xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// P of 32x32x16 where S left it: element i of half h is key 8*(i/4) + 4h + i%4.
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// V in the order that the instruction would count, 8h + i: P and V disagree.
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [4, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x16xbf16, #p>, %v: !fmha.tile<16x32xbf16, #v>, %o: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{'fmha.product' op expected both operands to hold the same contracted index in lane bit 5, found 8 in b and 4 in a}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x32xf32> : !fmha.tile<32x16xbf16, #p>, !fmha.tile<16x32xbf16, #v> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// P of 32x32x16 where S left it: element i of half h is key 8*(i/4) + 4h + i%4.
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [8, 0], [2, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x16xbf16, #p>, %v: !fmha.tile<16x32xbf16, #v>, %o: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{'fmha.product' op expected both operands to hold the same contracted index in register bit 1, found 8 in b and 2 in a}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x32xf32> : !fmha.tile<32x16xbf16, #p>, !fmha.tile<16x32xbf16, #v> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// P of 32x32x16 where S left it: element i of half h is key 8*(i/4) + 4h + i%4.
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#v = #fmha.lane_layout<fragment = 4, reg = [[1, 0], [2, 0], [8, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x16xbf16, #p>, %v: !fmha.tile<16x32xbf16, #v>, %o: !fmha.tile<32x32xf32>):
  // expected-error @+1 {{'fmha.product' op expected fragments of the same size, found 4 in b and 8 in a}}
  %0 = fmha.product v %p, %v onto %o : !fmha.tile<32x32xf32> : !fmha.tile<32x16xbf16, #p>, !fmha.tile<16x32xbf16, #v> -> !fmha.tile<32x32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %v: !fmha.tile<64x16xbf16>):
  // expected-error @+1 {{'fmha.product' op expected acc, the product of the tiles before, as it sums over keys, found none}}
  %0 = fmha.product v %p, %v : !fmha.tile<32x64xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32x16xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xbf16>, %o: !fmha.tile<64x16xbf16>, %acc: !fmha.tile<32x16xf32>):
  // expected-error @+1 {{'fmha.product' op attribute 'operand' failed to satisfy constraint: a tensor of the problem whose tiles go through LDS}}
  %0 = fmha.product o %p, %o onto %acc : !fmha.tile<32x16xf32> : !fmha.tile<32x64xbf16>, !fmha.tile<64x16xbf16> -> !fmha.tile<32x16xf32>
}
