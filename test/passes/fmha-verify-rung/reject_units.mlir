// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=tiles -split-input-file -verify-diagnostics

// Scores and O follow the factors of tiles: as it has to be.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, v_scale = block, scale_block = 128>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = start, rescale = lazy, lazy_log2 = 2, pipeline = <stages = [
    <@scores compute [unit_k, scale_k ahead 1, scale_v ahead 1, load_v, read_k, qk, mask, row_max]>,
    <@output compute [unit_v, load_k ahead 1, rescale, subtract, exp, row_sum, convert, read_v, pv]>]>>
!view = !fmha.view<32, f8E4M3FN>
!scales = !fmha.view<1, f32>
!q = !fmha.tile<32x64xf8E4M3FN, cols = 32>
!k = !fmha.tile<64x64xf8E4M3FN, cols = 32>
!v = !fmha.tile<64x32xf8E4M3FN>
!s = !fmha.tile<32x64xf32>
!p = !fmha.tile<32x64xf8E4M3FN>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
!keys = !fmha.tile<32xi32>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %scales: !scales, %q: !q, %o: !o, %base: !o, %m: !row, %limit: !keys, %f: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at0 : !fmha.rows<32, f8E4M3FN> -> !k
    %at1 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at1 : !fmha.rows<32, f8E4M3FN> -> !v
    %fk = fmha.tile_factor k %scales, %t : !scales
    %base1, %limit1, %q1, %f1 = fmha.score_unit %base, %m, %m, %q, %f, %f from %f to %fk : !o, !row, !q
    %fv = fmha.tile_factor v %scales, %t : !scales
    %o1, %unit, %most = fmha.output_unit %o, %m, %m from %f to %fv, %limit, %t : !o, !row, !keys
    %s = fmha.product k %q1, %k from %base1 : !o : !q, !k -> !s
    %x = fmha.mask %s, %limit, %t : !s, !keys
    %s1, %base2, %limit2, %m1, %c, %any = fmha.rebase %x, %base1, %limit1, %m factor %f1 scaled : !s, !o, !row
    %o2, %l1 = fmha.rescale_if %any, %o1, %m, %c : !o, !row, !row
    %d = fmha.subtract %s1, %m, %f1 lift 6 : !s, !row
    %w = fmha.exp %d : !s
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %p = fmha.convert %w : !s -> !p
    %o3 = fmha.product v %p, %v onto %o2 : !o : !p, !v -> !o
    fmha.yield
  }
}

// -----

// O follows none.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, v_scale = block, scale_block = 128>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = start, rescale = lazy, lazy_log2 = 2, pipeline = <stages = [
    <@scores compute [unit_k, scale_k ahead 1, scale_v ahead 1, load_v, read_k, qk, mask, row_max]>,
    <@output compute [unit_v, load_k ahead 1, rescale, subtract, exp, row_sum, convert, read_v, pv]>]>>
!view = !fmha.view<32, f8E4M3FN>
!scales = !fmha.view<1, f32>
!q = !fmha.tile<32x64xf8E4M3FN, cols = 32>
!k = !fmha.tile<64x64xf8E4M3FN, cols = 32>
!v = !fmha.tile<64x32xf8E4M3FN>
!s = !fmha.tile<32x64xf32>
!p = !fmha.tile<32x64xf8E4M3FN>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
!keys = !fmha.tile<32xi32>
// expected-error @+1 {{'fmha.kernel' op expected 'unit_v' once in the loop, as the schedule's pipeline has it, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %scales: !scales, %q: !q, %o: !o, %base: !o, %m: !row, %limit: !keys, %f: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at0 : !fmha.rows<32, f8E4M3FN> -> !k
    %at1 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at1 : !fmha.rows<32, f8E4M3FN> -> !v
    %fk = fmha.tile_factor k %scales, %t : !scales
    %base1, %limit1, %q1, %f1 = fmha.score_unit %base, %m, %m, %q, %f, %f from %f to %fk : !o, !row, !q
    %fv = fmha.tile_factor v %scales, %t : !scales
    %s = fmha.product k %q1, %k from %base1 : !o : !q, !k -> !s
    %x = fmha.mask %s, %limit, %t : !s, !keys
    %s1, %base2, %limit2, %m1, %c, %any = fmha.rebase %x, %base1, %limit1, %m factor %f1 scaled : !s, !o, !row
    %o2, %l1 = fmha.rescale_if %any, %o, %m, %c : !o, !row, !row
    %d = fmha.subtract %s1, %m, %f1 lift 6 : !s, !row
    %w = fmha.exp %d : !s
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %p = fmha.convert %w : !s -> !p
    %o3 = fmha.product v %p, %v onto %o2 : !o : !p, !v -> !o
    fmha.yield
  }
}

// -----

// There are none to follow.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = head, v_scale = head>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = start, rescale = lazy, lazy_log2 = 2, pipeline = <stages = [
    <@scores compute [unit_k, scale_k ahead 1, scale_v ahead 1, load_v, read_k, qk, mask, row_max]>,
    <@output compute [unit_v, load_k ahead 1, rescale, subtract, exp, row_sum, convert, read_v, pv]>]>>
!view = !fmha.view<32, f8E4M3FN>
!scales = !fmha.view<1, f32>
!q = !fmha.tile<32x64xf8E4M3FN, cols = 32>
!k = !fmha.tile<64x64xf8E4M3FN, cols = 32>
!v = !fmha.tile<64x32xf8E4M3FN>
!s = !fmha.tile<32x64xf32>
!p = !fmha.tile<32x64xf8E4M3FN>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
!keys = !fmha.tile<32xi32>
// expected-error @+1 {{'fmha.kernel' op expected 'scale_k' nowhere in the loop, as the schedule's pipeline has it, found 1}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %scales: !scales, %q: !q, %o: !o, %base: !o, %m: !row, %limit: !keys, %f: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at0 : !fmha.rows<32, f8E4M3FN> -> !k
    %at1 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at1 : !fmha.rows<32, f8E4M3FN> -> !v
    %fk = fmha.tile_factor k %scales, %t : !scales
    %base1, %limit1, %q1, %f1 = fmha.score_unit %base, %m, %m, %q, %f, %f from %f to %fk : !o, !row, !q
    %fv = fmha.tile_factor v %scales, %t : !scales
    %o1, %unit, %most = fmha.output_unit %o, %m, %m from %f to %fv, %limit, %t : !o, !row, !keys
    %s = fmha.product k %q1, %k from %base1 : !o : !q, !k -> !s
    %x = fmha.mask %s, %limit, %t : !s, !keys
    %s1, %base2, %limit2, %m1, %c, %any = fmha.rebase %x, %base1, %limit1, %m factor %f1 scaled : !s, !o, !row
    %o2, %l1 = fmha.rescale_if %any, %o1, %m, %c : !o, !row, !row
    %d = fmha.subtract %s1, %m, %f1 lift 6 : !s, !row
    %w = fmha.exp %d : !s
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %p = fmha.convert %w : !s -> !p
    %o3 = fmha.product v %p, %v onto %o2 : !o : !p, !v -> !o
    fmha.yield
  }
}

// -----

// Tiles have several.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, v_scale = block, scale_block = 96>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = start, rescale = lazy, lazy_log2 = 2, pipeline = <stages = [
    <@scores compute [unit_k, scale_k ahead 1, scale_v ahead 1, load_v, read_k, qk, mask, row_max]>,
    <@output compute [unit_v, load_k ahead 1, rescale, subtract, exp, row_sum, convert, read_v, pv]>]>>
!view = !fmha.view<32, f8E4M3FN>
!scales = !fmha.view<1, f32>
!q = !fmha.tile<32x64xf8E4M3FN, cols = 32>
!k = !fmha.tile<64x64xf8E4M3FN, cols = 32>
!v = !fmha.tile<64x32xf8E4M3FN>
!s = !fmha.tile<32x64xf32>
!p = !fmha.tile<32x64xf8E4M3FN>
!o = !fmha.tile<32x32xf32>
!row = !fmha.tile<32xf32>
!keys = !fmha.tile<32xi32>
// expected-error @+1 {{'fmha.kernel' op expected one fmha.scale_keys in the loop, found 0}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %scales: !scales, %q: !q, %o: !o, %base: !o, %m: !row, %limit: !keys, %f: f32, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    %at0 = fmha.rows k %view, %t : !view
    %k = fmha.load k %at0 : !fmha.rows<32, f8E4M3FN> -> !k
    %at1 = fmha.rows v %view, %t : !view
    %v = fmha.load v %at1 : !fmha.rows<32, f8E4M3FN> -> !v
    %fk = fmha.tile_factor k %scales, %t : !scales
    %base1, %limit1, %q1, %f1 = fmha.score_unit %base, %m, %m, %q, %f, %f from %f to %fk : !o, !row, !q
    %fv = fmha.tile_factor v %scales, %t : !scales
    %o1, %unit, %most = fmha.output_unit %o, %m, %m from %f to %fv, %limit, %t : !o, !row, !keys
    %s = fmha.product k %q1, %k from %base1 : !o : !q, !k -> !s
    %x = fmha.mask %s, %limit, %t : !s, !keys
    %s1, %base2, %limit2, %m1, %c, %any = fmha.rebase %x, %base1, %limit1, %m factor %f1 scaled : !s, !o, !row
    %o2, %l1 = fmha.rescale_if %any, %o1, %m, %c : !o, !row, !row
    %d = fmha.subtract %s1, %m, %f1 lift 6 : !s, !row
    %w = fmha.exp %d : !s
    %l2 = fmha.row_sum %w to %l1 : !row : !s -> !row
    %p = fmha.convert %w : !s -> !p
    %o3 = fmha.product v %p, %v onto %o2 : !o : !p, !v -> !o
    fmha.yield
  }
}
