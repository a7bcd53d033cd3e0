// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{expected 2 types of carried tiles, found 1}}
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%a = %m, %b = %m) -> (!fmha.tile<32xf32>) {
    fmha.yield %a : !fmha.tile<32xf32>
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.kv_loop' op different number of inits and region iter_args: 1 != 0}}
  %r = "fmha.kv_loop"(%lo, %hi, %m) ({
  ^bb0(%t: i32):
    "fmha.yield"(%m) : (!fmha.tile<32xf32>) -> ()
  }) : (i32, i32, !fmha.tile<32xf32>) -> !fmha.tile<32xf32>
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  // expected-error @+1 {{'fmha.kv_loop' op expects a non-empty block}}
  fmha.kv_loop %t = %lo to %hi {
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  // expected-error @+1 {{'fmha.kv_loop' op expected the body to end with fmha.yield}}
  fmha.kv_loop %t = %lo to %hi {
    llvm.unreachable
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.kv_loop' op different number of region iter_args and yielded values: 1 != 2}}
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%a = %m) -> (!fmha.tile<32xf32>) {
    fmha.yield %a, %a : !fmha.tile<32xf32>, !fmha.tile<32xf32>
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32, %m: !fmha.tile<32xf32>, %o: !fmha.tile<64xf32>):
  // expected-error @+1 {{'fmha.kv_loop' op 0-th region iter_arg and 0-th yielded value have different type: '!fmha.tile<32xf32>' != '!fmha.tile<64xf32>'}}
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%a = %m) -> (!fmha.tile<32xf32>) {
    fmha.yield %o : !fmha.tile<64xf32>
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32, %m: !fmha.tile<32xf32>):
  // expected-error @+1 {{'fmha.kv_loop' op 1-th init and 1-th region iter_arg have different type: '!fmha.tile<32xf32>' != '!fmha.tile<16xf32>'}}
  %r:2 = "fmha.kv_loop"(%lo, %hi, %m, %m) ({
  ^bb0(%t: i32, %a: !fmha.tile<32xf32>, %b: !fmha.tile<16xf32>):
    "fmha.yield"(%m, %m) : (!fmha.tile<32xf32>, !fmha.tile<32xf32>) -> ()
  }) : (i32, i32, !fmha.tile<32xf32>, !fmha.tile<32xf32>) -> (!fmha.tile<32xf32>, !fmha.tile<32xf32>)
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  // expected-error @+1 {{'fmha.yield' op expects parent op to be one of 'fmha.kv_loop, fmha.score_mod, fmha.stage'}}
  fmha.yield
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  // expected-error @+1 {{'fmha.kv_loop' op expected a step of at least 1, found 0}}
  fmha.kv_loop %t = %lo to %hi step 0 {
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  // expected-error @+1 {{'fmha.kv_loop' op expected a step of at least 1, found -2}}
  fmha.kv_loop %t = %lo to %hi step -2 {
    fmha.yield
  }
}
