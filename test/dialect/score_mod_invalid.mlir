// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'fmha.score_mod' op expected the 5 arguments (score, row, key, head, batch), found 2}}
fmha.score_mod @mine(%score: f32, %row: i32) {
  fmha.yield %score : f32
}

// -----

// expected-error @+1 {{'fmha.score_mod' op expected argument 0, score, to be 'f32', found 'f16'}}
fmha.score_mod @mine(%score: f16, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %x = arith.extf %score : f16 to f32
  fmha.yield %x : f32
}

// -----

// expected-error @+1 {{'fmha.score_mod' op expected argument 1, row, to be 'i32', found 'i64'}}
fmha.score_mod @mine(%score: f32, %row: i64, %key: i32, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}

// -----

// expected-error @+1 {{'fmha.score_mod' op expected argument 2, key, to be 'i32', found 'index'}}
fmha.score_mod @mine(%score: f32, %row: i32, %key: index, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}

// -----

// expected-error @+1 {{'fmha.score_mod' op expected argument 3, head, to be 'i32', found 'f32'}}
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: f32, %batch: i32) {
  fmha.yield %score : f32
}

// -----

// expected-error @+1 {{'fmha.score_mod' op expected argument 4, batch, to be 'i32', found 'i16'}}
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i16) {
  fmha.yield %score : f32
}

// -----

// No instruction and no function of the device's library is known for it.
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'math.erf' op expected an arith op or one of math.absf, absi, ceil, copysign, cos, exp, exp2, floor, fma, log, log2, roundeven, rsqrt, sin, sqrt, tanh, trunc in fmha.score_mod, found another}}
  %x = math.erf %score : f32
  fmha.yield %x : f32
}

// -----

// Not of a wave, but of a score.
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'fmha.id' op expected an arith op or one of math.absf, absi, ceil, copysign, cos, exp, exp2, floor, fma, log, log2, roundeven, rsqrt, sin, sqrt, tanh, trunc in fmha.score_mod, found another}}
  %x = fmha.id wave : i32
  fmha.yield %score : f32
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'vector.from_elements' op expected an arith op or one of math.absf, absi, ceil, copysign, cos, exp, exp2, floor, fma, log, log2, roundeven, rsqrt, sin, sqrt, tanh, trunc in fmha.score_mod, found another}}
  %x = vector.from_elements %score : vector<1xf32>
  fmha.yield %score : f32
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'arith.extf' op expected results of type f32 or an integer of at most 64 bits in fmha.score_mod, found 'f64'}}
  %x = arith.extf %score : f32 to f64
  fmha.yield %score : f32
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'arith.index_cast' op expected results of type f32 or an integer of at most 64 bits in fmha.score_mod, found 'index'}}
  %x = arith.index_cast %row : i32 to index
  fmha.yield %score : f32
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'arith.constant' op expected results of type f32 or an integer of at most 64 bits in fmha.score_mod, found 'vector<2xf32>'}}
  %x = arith.constant dense<0.0> : vector<2xf32>
  fmha.yield %score : f32
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'fmha.yield' op expected one f32, the score to use}}
  fmha.yield
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'fmha.yield' op expected one f32, the score to use}}
  fmha.yield %score, %score : f32, f32
}

// -----

fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'fmha.yield' op expected one f32, the score to use}}
  fmha.yield %row : i32
}

// -----

// expected-error @+1 {{'fmha.score_mod' op expected the body to end with fmha.yield}}
fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %x = arith.negf %score : f32
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xbf16>, %index: i32):
  // expected-error @+1 {{'fmha.score_mod' op expected a tile of f32 scores to stay of its type, found '!fmha.tile<32x64xbf16>' and '!fmha.tile<32x64xbf16>'}}
  %x = fmha.score_mod %s, %index (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
    fmha.yield %score : f32
  } : !fmha.tile<32x64xbf16>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %index: i32):
  // expected-error @+1 {{'fmha.score_mod' op expected a tile of f32 scores to stay of its type, found '!fmha.tile<32x64xf32>' and '!fmha.tile<64x32xf32>'}}
  %x = "fmha.score_mod"(%s, %index) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32):
    fmha.yield %score : f32
  }) : (!fmha.tile<32x64xf32>, i32) -> !fmha.tile<64x32xf32>
}

// -----

// Neither.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.score_mod' op expected a name, or a tile of scores with its index}}
  "fmha.score_mod"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32):
    fmha.yield %score : f32
  }) : () -> ()
}

// -----

// Both.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>, %index: i32):
  // expected-error @+1 {{'fmha.score_mod' op expected a name, or a tile of scores with its index}}
  %x = "fmha.score_mod"(%s, %index) <{operandSegmentSizes = array<i32: 1, 1>, sym_name = "mine"}> ({
  ^bb0(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32):
    fmha.yield %score : f32
  }) : (!fmha.tile<32x64xf32>, i32) -> !fmha.tile<32x64xf32>
}

// -----

// A tile without its index.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !fmha.tile<32x64xf32>):
  // expected-error @+1 {{'fmha.score_mod' op expected a name, or a tile of scores with its index}}
  %x = "fmha.score_mod"(%s) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32):
    fmha.yield %score : f32
  }) : (!fmha.tile<32x64xf32>) -> !fmha.tile<32x64xf32>
}

// -----

// expected-error @+1 {{'fmha.score_mod' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
"fmha.score_mod"() <{operandSegmentSizes = array<i32: 0, 0>, sym_name = "mine"}> ({
}) : () -> ()

// -----

fmha.score_mod @m(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  // expected-error @+1 {{'arith.extsi' op expected results of type f32 or an integer of at most 64 bits in fmha.score_mod, found 'i65'}}
  %0 = arith.extsi %row : i32 to i65
  fmha.yield %score : f32
}
