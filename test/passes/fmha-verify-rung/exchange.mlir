// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// In order.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @right problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// In a list the next item copies after a barrier.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = list>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @right_of_a_list problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work list (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
  }
}
// -----

// The copy that nobody reads may land on what is shared.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @no_wait_for_a_copy problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    // expected-note @+1 {{'fmha.copy' before it}}
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    rocdl.s.barrier
    // expected-error @+1 {{share uses the bytes of load_k: expected a barrier after the wait of the first wave group for load_k and before share of the first group, found no wait}}
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// Not if its buffer lies beyond the exchange.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 9216, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @elsewhere problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    rocdl.s.barrier
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// Other waves may still copy.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @no_barrier_after_a_copy problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    // expected-note @+1 {{'fmha.copy' before it}}
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    // expected-error @+1 {{share uses the bytes of load_k: expected a barrier after the wait of the first wave group for load_k and before share of the first group, found the wait after 0 barriers and share after 0}}
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// Other waves may not have shared yet.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @no_barrier_after_share problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    // expected-note @+1 {{'fmha.share' before it}}
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    // expected-error @+1 {{gather reads what may not be there yet of share: expected a barrier after the wait of the first wave group for share and before gather of the first group, found the wait after 1 barriers and gather after 1}}
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// The writes of the wave itself may be under way.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @no_wait_after_share problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    // expected-note @+1 {{'fmha.share' before it}}
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    rocdl.s.barrier
    // expected-error @+1 {{gather reads what may not be there yet of share: expected a barrier after the wait of the first wave group for share and before gather of the first group, found no wait}}
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// Of a list the next item copies where a wave may still gather.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = list>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @next_item problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work list (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    // expected-error @+1 {{load_k overwrites the bytes of gather: expected a barrier after the wait of the first wave group for gather and before load_k of the first group, found the wait after 3 barriers and load_k after 2}}
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    // expected-note @+1 {{'fmha.gather' before it}}
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
  }
}
// -----

// The next part comes where a wave may still gather.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @next_part problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    // expected-note @+1 {{'fmha.gather' before it}}
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
    amdgpu.memory_counter_wait ds(0)
    // expected-error @+1 {{share overwrites what may still be read by gather: expected a barrier after the wait of the first wave group for gather and before share of the first group, found the wait after 2 barriers and share after 2}}
    %t1 = fmha.share %o, %m, %m into %x : !o, !row, !x
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %o1, %m1, %l1 = fmha.gather %x after %t1 by %f : !x -> !o, !row
  }
}
