// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics
// RUN: sed -e 's/work = list/work = queue/; s/fmha.work list/fmha.work queue/' %s > %t.mlir
// RUN: %fmhac-opt %t.mlir -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics
// RUN: sed -e 's/work = list/work = grid/; s/fmha.work list/fmha.work grid/; s/expected-[en]/not/' %s > %t.mlir
// RUN: %fmhac-opt %t.mlir -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// A workgroup goes from one item of its list to the next without a stop: what the one has left meets
// the other. With one item for each workgroup, of a grid, the same kernels are right.

// The copy that nothing reads may land after that of the next item.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, work = list>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @copy_without_wait problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %t: i32):
  fmha.work list (%row, %head, %batch) {
    %k = fmha.lds_buffer k : !buffer
    %at0 = fmha.rows k %view, %t : !view
    // expected-error @+2 {{load_k overwrites what may not be there yet of load_k: expected a barrier after the wait of the first wave group for load_k and before load_k of the first group, found no wait}}
    // expected-note @+1 {{'fmha.copy' before it}}
    %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    rocdl.s.barrier
  }
}

// -----

// It has landed in the wave that waited; other waves may be ahead without a barrier after the wait.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, work = list>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @wait_without_barrier problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %t: i32):
  fmha.work list (%row, %head, %batch) {
    %k = fmha.lds_buffer k : !buffer
    %at0 = fmha.rows k %view, %t : !view
    // expected-error @+2 {{load_k overwrites what may not be there yet of load_k: expected a barrier after the wait of the first wave group for load_k and before load_k of the first group, found the wait after 0 barriers and load_k after 0}}
    // expected-note @+1 {{'fmha.copy' before it}}
    %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
  }
}

// -----

// The last read of an item against the first copy of the next.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, work = list>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @read_without_barrier problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %t: i32):
  fmha.work list (%row, %head, %batch) {
    %k = fmha.lds_buffer k : !buffer
    %at0 = fmha.rows k %view, %t : !view
    // expected-error @+1 {{load_k overwrites what may still be read by read_k: expected a barrier after the wait of the first wave group for read_k and before load_k of the first group, found the wait after 1 barriers and load_k after 1}}
    %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    // expected-note @+1 {{'fmha.read' before it}}
    %tile = fmha.read k %k after %0 : !buffer -> !fmha.tile<32x32xbf16>
    amdgpu.memory_counter_wait ds(0)
  }
}

// -----

// With a wait and a barrier after it the next item may begin.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, work = list>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @right problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %t: i32):
  fmha.work list (%row, %head, %batch) {
    %k = fmha.lds_buffer k : !buffer
    %at0 = fmha.rows k %view, %t : !view
    %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    %tile = fmha.read k %k after %0 : !buffer -> !fmha.tile<32x32xbf16>
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %at1 = fmha.rows k %view, %t : !view
    %1 = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
  }
}
