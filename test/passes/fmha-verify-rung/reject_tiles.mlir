// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=tiles -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a fmha.kernel, found none; run fmha-tile-attention}}
module {
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// V is loaded before K, the schedule says after.
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected 'load_k' once in the loop, as the schedule's pipeline has it, found 2}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at0 : !fmha.rows<32, bf16> -> !b
    %at1 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at1 : !fmha.rows<32, bf16> -> !b
    %at2 = fmha.rows k %view, %t : !view
    %again = fmha.load k %at2 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %x = fmha.mask %s, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// A step is missing.
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected 'mask' once in the loop, as the schedule's pipeline has it, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at3 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at3 : !fmha.rows<32, bf16> -> !b
    %at4 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at4 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{'fmha.kernel' op expected one KV loop, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-error @+1 {{'fmha.kernel' op expected one KV loop, found 2}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    fmha.yield
  }
  fmha.kv_loop %t = %lo to %hi {
    fmha.yield
  }
}

// -----

// A function of scores that the schedule has no place for.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected 'score_mod' nowhere in the loop, as the schedule's pipeline has it, found 1}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at5 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at5 : !fmha.rows<32, bf16> -> !b
    %at6 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at6 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %y = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
      fmha.yield %score : f32
    } : !f
    %x = fmha.mask %y, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

// ALiBi without the op that adds it.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, alibi = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected 'score_mod' once in the loop, as the schedule's pipeline has it, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at7 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at7 : !fmha.rows<32, bf16> -> !b
    %at8 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at8 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %x = fmha.mask %s, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

// A user's function of scores got lost.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, score_mod = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected 'score_mod' once in the loop, as the schedule's pipeline has it, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at9 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at9 : !fmha.rows<32, bf16> -> !b
    %at10 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at10 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %x = fmha.mask %s, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

// A bias without the op that adds it.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, bias = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, f32>
!keys = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected one fmha.add_bias in the loop, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %keys: !keys, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at11 = fmha.rows k %keys, %t : !keys
    %k = fmha.load k %at11 : !fmha.rows<32, bf16> -> !b
    %at12 = fmha.rows v %keys, %t : !keys
    %v = fmha.load v %at12 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %y = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
      fmha.yield %score : f32
    } : !f
    %x = fmha.mask %y, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = token>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, f32>
!keys = !fmha.view<32, f8E4M3FN>
!b = !fmha.tile<32x32xf8E4M3FN>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected one fmha.scale_keys in the loop, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %keys: !keys, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at13 = fmha.rows k %keys, %t : !keys
    %k = fmha.load k %at13 : !fmha.rows<32, f8E4M3FN> -> !b
    %at14 = fmha.rows v %keys, %t : !keys
    %v = fmha.load v %at14 : !fmha.rows<32, f8E4M3FN> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %y = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
      fmha.yield %score : f32
    } : !f
    %x = fmha.mask %y, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, softcap = 2.0 : f32, q_scale = token>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, f32>
!keys = !fmha.view<32, f8E4M3FN>
!b = !fmha.tile<32x32xf8E4M3FN>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected one fmha.scale_scores in the loop, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %keys: !keys, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at15 = fmha.rows k %keys, %t : !keys
    %k = fmha.load k %at15 : !fmha.rows<32, f8E4M3FN> -> !b
    %at16 = fmha.rows v %keys, %t : !keys
    %v = fmha.load v %at16 : !fmha.rows<32, f8E4M3FN> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %y = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
      fmha.yield %score : f32
    } : !f
    %x = fmha.mask %y, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = block, scale_block = 64>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, f32>
!keys = !fmha.view<32, f8E4M3FN>
!b = !fmha.tile<32x32xf8E4M3FN>
!f = !fmha.tile<32x32xf32>
// expected-error @+1 {{'fmha.kernel' op expected one fmha.fold_keys in the loop, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %keys: !keys, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at17 = fmha.rows k %keys, %t : !keys
    %k = fmha.load k %at17 : !fmha.rows<32, f8E4M3FN> -> !b
    %at18 = fmha.rows v %keys, %t : !keys
    %v = fmha.load v %at18 : !fmha.rows<32, f8E4M3FN> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %y = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
      fmha.yield %score : f32
    } : !f
    %x = fmha.mask %y, %limit, %t : !f, !fmha.tile<32xi32>
    %m1, %shift1, %c, %any = fmha.row_max %x, %m, %m, %factor : !f, !fmha.tile<32xf32>
    %o1, %l1 = fmha.rescale_if %any, %o, %l, %c : !f, !fmha.tile<32xf32>, !fmha.tile<32xf32>
    %d = fmha.subtract %x, %shift1, %factor : !f, !fmha.tile<32xf32>
    %w = fmha.exp %d : !f
    %l2 = fmha.row_sum %w to %l1 : !fmha.tile<32xf32> : !f -> !fmha.tile<32xf32>
    %p = fmha.convert %w : !f -> !b
    %o2 = fmha.product v %p, %v onto %o1 : !f : !b, !b -> !f
    fmha.yield
  }
}

// -----

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// expected-error @+1 {{expected its launch to have block = 64, as the schedule has waves, found 128}}
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["Sq", "Hq", "B"], block = 128>) {
}
