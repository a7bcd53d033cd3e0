// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=pipelined -split-input-file -verify-diagnostics

// A copy that no stage has.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %at0 = fmha.rows k %view, %lo : !view
  // expected-error @+1 {{'fmha.copy' op expected LDS traffic of a pipeline in stages, found some outside; run fmha-software-pipeline}}
  %0 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
}

// -----

// A read that no stage has.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %0 = fmha.stage @k_in memory {
    %at1 = fmha.rows v %view, %lo : !view
    %1 = fmha.copy v %at1 into %v0 dma(#dma) : !fmha.rows<32, bf16>, !v0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  // expected-error @+1 {{'fmha.read' op expected LDS traffic of a pipeline in stages, found some outside; run fmha-software-pipeline}}
  %2 = fmha.read v %v0 after %0 : !v0 -> !tile
}

// -----

// Two tiles a round, where the schedule has one.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  // expected-error @+1 {{'fmha.kv_loop' op expected a round of the 1 tiles of the schedule's pipeline, found 2}}
  fmha.kv_loop %t = %lo to %hi step 2 {
    fmha.yield
  }
}

// -----

// The token of the other buffer.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %0 = fmha.stage @k_in memory {
    %at2 = fmha.rows k %view, %lo : !view
    // expected-note @+1 {{the load}}
    %1 = fmha.copy k %at2 into %k1 dma(#dma) : !fmha.rows<32, bf16>, !k1
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  fmha.stage @k_in memory {
    // expected-error @+1 {{'fmha.read' op expected its token to be that of a load into the buffer that it reads, found another's}}
    %2 = fmha.read k %k0 after %0 : !k0 -> !tile
    fmha.yield
  }
}

// -----

// A slot of the ring of K, a token of one of the ring of V; by the first round of the
// loop only.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %0:2 = fmha.stage @k_in memory {
    %at3 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at3 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
    %at4 = fmha.rows v %view, %lo : !view
    // expected-note @+1 {{the load}}
    %2 = fmha.copy v %at4 into %v0 dma(#dma) : !fmha.rows<32, bf16>, !v0
    fmha.yield %1, %2 : !fmha.token, !fmha.token
  } : !fmha.token, !fmha.token
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %0#1) -> (!fmha.token) {
    %next = fmha.stage @k_in memory {
      %slot = fmha.ring_slot %t of %k0, %k1 : !k0, !k1
      // expected-error @+1 {{'fmha.read' op expected its token to be that of a load into the buffer that it reads, found another's}}
      %3 = fmha.read k %slot after %now : !k0 -> !tile
      %at5 = fmha.rows k %view, %t : !view
      %4 = fmha.copy k %at5 into %slot dma(#dma) : !fmha.rows<32, bf16>, !k0
      fmha.yield %4 : !fmha.token
    } : !fmha.token
    fmha.yield %next : !fmha.token
  }
}

// -----

// The other way round: the copy goes to a slot of the ring of K, V is read.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %0 = fmha.stage @k_in memory {
    %slot = fmha.ring_slot %lo of %k0, %k1 : !k0, !k1
    %at6 = fmha.rows k %view, %lo : !view
    // expected-note @+1 {{the load}}
    %1 = fmha.copy k %at6 into %slot dma(#dma) : !fmha.rows<32, bf16>, !k0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  fmha.stage @k_in memory {
    %slot = fmha.ring_slot %lo of %v0, %v1 : !v0, !v1
    // expected-error @+1 {{'fmha.read' op expected its token to be that of a load into the buffer that it reads, found another's}}
    %2 = fmha.read v %slot after %0 : !v0 -> !tile
    fmha.yield
  }
}

// -----

// No load gives the token: an argument of the kernel, after the loop.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
// expected-note @+1 {{where it comes from}}
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %token) -> (!fmha.token) {
    %next = fmha.stage @k_in memory {
      %at7 = fmha.rows k %view, %t : !view
      %1 = fmha.copy k %at7 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
      fmha.yield %1 : !fmha.token
    } : !fmha.token
    fmha.yield %next : !fmha.token
  }
  fmha.stage @k_in memory {
    // expected-error @+1 {{'fmha.read' op expected its token to be that of a load into the buffer that it reads, found one that no load gives}}
    %2 = fmha.read k %k0 after %r : !k0 -> !tile
    fmha.yield
  }
}

// -----

// Nor this one.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_k ahead 1, load_v]>,
    <@scores compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!v0 = !fmha.lds<64x32xbf16, 8192, #lds>
!v1 = !fmha.lds<64x32xbf16, 12288, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  fmha.stage @k_in memory {
    // expected-note @+1 {{where it comes from}}
    %1 = fmha.no_token
    // expected-error @+1 {{'fmha.read' op expected its token to be that of a load into the buffer that it reads, found one that no load gives}}
    %2 = fmha.read v %v0 after %1 : !v0 -> !tile
    fmha.yield
  }
}
