// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits | FileCheck %s

// After K's 2 loads a lane issues one for the page of each of its keys r and r + 16, which lie in
// different pages of 8, and V's 4: 6 may stay in flight. Keys 2 r and 2 r + 1 lie in one: one load,
// 5. The 16 keys that all lanes have lie in one page of 16, whose number comes by a scalar load, as
// that of a whole tile's page: 4.
// CHECK-LABEL: fmha.kernel @apart
// CHECK: amdgpu.memory_counter_wait load(6)
// CHECK-LABEL: fmha.kernel @together
// CHECK: amdgpu.memory_counter_wait load(5)
// CHECK-LABEL: fmha.kernel @shared
// CHECK: amdgpu.memory_counter_wait load(4)
// CHECK-LABEL: fmha.kernel @whole
// CHECK: amdgpu.memory_counter_wait load(4)

#apart = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 8>
#shared = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 16>
#whole = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 64>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, page_k ahead 1, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, page_v ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#klds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#vlds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#kdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#vdma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#keys = #fmha.lane_layout<fragment = 1, reg = [[16]], lane = [[0], [0], [1], [2], [4], [8]], wave = []>
#pairs = #fmha.lane_layout<fragment = 1, reg = [[1]], lane = [[0], [0], [2], [4], [8], [16]], wave = []>
!kbuf = !fmha.lds<32x32xbf16, 0, #klds>
!vbuf = !fmha.lds<64x32xbf16, 2048, #vlds>
!view = !fmha.view<32, bf16>
!table = !fmha.view<1, i32>
!rows = !fmha.rows<32, bf16>
!ktile = !fmha.tile<32x32xbf16>
!pages = !fmha.tile<32xi32, #keys>
!pairs = !fmha.tile<32xi32, #pairs>
fmha.kernel @apart problem(#apart) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %t: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  %token = fmha.stage @copies memory {
    %0 = fmha.rows k %view, %t : !view
    %1 = fmha.copy k %0 into %k dma(#kdma) : !rows, !kbuf
    %2 = fmha.look_up k %table, %t : !table -> !pages
    %3 = fmha.rows v %view, %t : !view
    %4 = fmha.copy v %3 into %v dma(#vdma) : !rows, !vbuf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @use compute {
    %5 = fmha.read k %k after %token : !kbuf -> !ktile
    fmha.yield
  }
}
fmha.kernel @together problem(#apart) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %t: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  %token = fmha.stage @copies memory {
    %0 = fmha.rows k %view, %t : !view
    %1 = fmha.copy k %0 into %k dma(#kdma) : !rows, !kbuf
    %2 = fmha.look_up k %table, %t : !table -> !pairs
    %3 = fmha.rows v %view, %t : !view
    %4 = fmha.copy v %3 into %v dma(#vdma) : !rows, !vbuf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @use compute {
    %5 = fmha.read k %k after %token : !kbuf -> !ktile
    fmha.yield
  }
}
fmha.kernel @shared problem(#shared) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %t: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  %token = fmha.stage @copies memory {
    %0 = fmha.rows k %view, %t : !view
    %1 = fmha.copy k %0 into %k dma(#kdma) : !rows, !kbuf
    %2 = fmha.look_up k %table, %t : !table -> !pages
    %3 = fmha.rows v %view, %t : !view
    %4 = fmha.copy v %3 into %v dma(#vdma) : !rows, !vbuf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @use compute {
    %5 = fmha.read k %k after %token : !kbuf -> !ktile
    fmha.yield
  }
}
fmha.kernel @whole problem(#whole) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %t: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  %token = fmha.stage @copies memory {
    %0 = fmha.rows k %view, %t : !view
    %1 = fmha.copy k %0 into %k dma(#kdma) : !rows, !kbuf
    %2 = fmha.look_up k %table, %t : !table -> i32
    %3 = fmha.rows v %view, %t : !view
    %4 = fmha.copy v %3 into %v dma(#vdma) : !rows, !vbuf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @use compute {
    %5 = fmha.read k %k after %token : !kbuf -> !ktile
    fmha.yield
  }
}
