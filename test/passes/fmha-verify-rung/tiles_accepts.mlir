// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=tiles -split-input-file -verify-diagnostics

// Each step of the schedule once.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at0 : !fmha.rows<32, bf16> -> !b
    %at1 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at1 : !fmha.rows<32, bf16> -> !b
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

// A plain problem leaves the place of score_mod empty.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at2 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at2 : !fmha.rows<32, bf16> -> !b
    %at3 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at3 : !fmha.rows<32, bf16> -> !b
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

// One with a soft cap fills it.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, softcap = 32.0 : f32>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at4 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at4 : !fmha.rows<32, bf16> -> !b
    %at5 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at5 : !fmha.rows<32, bf16> -> !b
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

// So does a function of the user's.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, score_mod = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at6 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at6 : !fmha.rows<32, bf16> -> !b
    %at7 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at7 : !fmha.rows<32, bf16> -> !b
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

// And a bias.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, bias = true>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<32, f32>
!keys = !fmha.view<32, bf16>
!b = !fmha.tile<32x32xbf16>
!f = !fmha.tile<32x32xf32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %keys: !keys, %q: !b, %o: !f, %m: !fmha.tile<32xf32>, %l: !fmha.tile<32xf32>, %limit: !fmha.tile<32xi32>, %factor: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at8 = fmha.rows k %keys, %t : !keys
    %k = fmha.load k %at8 : !fmha.rows<32, bf16> -> !b
    %at9 = fmha.rows v %keys, %t : !keys
    %v = fmha.load v %at9 : !fmha.rows<32, bf16> -> !b
    %s = fmha.product k %q, %k : !b, !b -> !f
    %y = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
      fmha.yield %score : f32
    } : !f
    %z = fmha.add_bias %y, %view, %t : !f, !view
    %x = fmha.mask %z, %limit, %t : !f, !fmha.tile<32xi32>
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
