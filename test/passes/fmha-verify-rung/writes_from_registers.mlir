// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// Right: a wait for LDS and a barrier between write and read.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, write_v, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, write_k ahead 2, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 8 elements a lane: over 8 waves 2 pieces each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32, %hi: i32):
  %k0 = fmha.lds_buffer k : !k0
  %at0 = fmha.rows k %view, %i : !view
  %f = fmha.fetch k %at0 : !fmha.rows<128, f8E4M3FN> -> !pieces
  %t = fmha.write k %f into %k0 : !pieces, !k0
  amdgpu.memory_counter_wait ds(0)
  rocdl.s.barrier
  %r = fmha.read k %k0 after %t : !k0 -> !kv
}

// -----

// No wait.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, write_v, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, write_k ahead 2, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 8 elements a lane: over 8 waves 2 pieces each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32, %hi: i32):
  %k0 = fmha.lds_buffer k : !k0
  %at1 = fmha.rows k %view, %i : !view
  %f = fmha.fetch k %at1 : !fmha.rows<128, f8E4M3FN> -> !pieces
  // expected-note @+1 {{'fmha.write' before it}}
  %t = fmha.write k %f into %k0 : !pieces, !k0
  rocdl.s.barrier
  // expected-error @+1 {{read_k reads what may not be there yet of write_k: expected a barrier after the wait of the first wave group for write_k and before read_k of the first group, found no wait}}
  %r = fmha.read k %k0 after %t : !k0 -> !kv
}

// -----

// A wait for loads is none for writes, of which vmcnt knows nothing.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, write_v, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, write_k ahead 2, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 8 elements a lane: over 8 waves 2 pieces each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32, %hi: i32):
  %k0 = fmha.lds_buffer k : !k0
  %at2 = fmha.rows k %view, %i : !view
  %f = fmha.fetch k %at2 : !fmha.rows<128, f8E4M3FN> -> !pieces
  // expected-note @+1 {{'fmha.write' before it}}
  %t = fmha.write k %f into %k0 : !pieces, !k0
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  // expected-error @+1 {{read_k reads what may not be there yet of write_k: expected a barrier after the wait of the first wave group for write_k and before read_k of the first group, found no wait}}
  %r = fmha.read k %k0 after %t : !k0 -> !kv
}

// -----

// No barrier: other waves wrote parts of what this one reads.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, write_v, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, write_k ahead 2, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 8 elements a lane: over 8 waves 2 pieces each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32, %hi: i32):
  %k0 = fmha.lds_buffer k : !k0
  %at3 = fmha.rows k %view, %i : !view
  %f = fmha.fetch k %at3 : !fmha.rows<128, f8E4M3FN> -> !pieces
  // expected-note @+1 {{'fmha.write' before it}}
  %t = fmha.write k %f into %k0 : !pieces, !k0
  amdgpu.memory_counter_wait ds(0)
  // expected-error @+1 {{read_k reads what may not be there yet of write_k: expected a barrier after the wait of the first wave group for write_k and before read_k of the first group, found the wait after 0 barriers and read_k after 0}}
  %r = fmha.read k %k0 after %t : !k0 -> !kv
}

// -----

// The next tile is written while this one may still be read.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, write_v, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, write_k ahead 2, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 8 elements a lane: over 8 waves 2 pieces each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32, %hi: i32):
  %k0 = fmha.lds_buffer k : !k0
  %at4 = fmha.rows k %view, %i : !view
  %f = fmha.fetch k %at4 : !fmha.rows<128, f8E4M3FN> -> !pieces
  %t = fmha.write k %f into %k0 : !pieces, !k0
  amdgpu.memory_counter_wait ds(0)
  rocdl.s.barrier
  // expected-note @+1 {{'fmha.read' before it}}
  %r = fmha.read k %k0 after %t : !k0 -> !kv
  rocdl.s.barrier
  // expected-error @+1 {{write_k overwrites what may still be read by read_k: expected a barrier after the wait of the first wave group for read_k and before write_k of the first group, found no wait}}
  %t1 = fmha.write k %f into %k0 : !pieces, !k0
}
