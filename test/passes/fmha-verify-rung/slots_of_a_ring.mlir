// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced | FileCheck %s
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=pipelined | FileCheck %s

// One tile a round, two buffers: the walk knows which buffer each round takes. Tile t + 2
// goes where tile t was read from, a barrier later.
// CHECK: fmha.ring_slot
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// 64 keys of 64 bytes, 4 lines of 1024, so 4 loads of the one wave.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!k0 = !fmha.lds<64x32xbf16, 0, #lds>
!k1 = !fmha.lds<64x32xbf16, 4096, #lds>
!view = !fmha.view<32, bf16>
!kt = !fmha.tile<64x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %x: i32):
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %first:2 = fmha.stage @in memory {
    %at0 = fmha.rows k %view, %lo : !view
    %t0 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<32, bf16>, !k0
    %at1 = fmha.rows k %view, %lo : !view
    %t1 = fmha.copy k %at1 into %k1 dma(#dma) : !fmha.rows<32, bf16>, !k1
    fmha.yield %t0, %t1 : !fmha.token, !fmha.token
  } : !fmha.token, !fmha.token
  amdgpu.memory_counter_wait load(4)
  rocdl.s.barrier
  %r:2 = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first#0, %next = %first#1) -> (!fmha.token, !fmha.token) {
    fmha.stage @in memory {
      %n = arith.subi %t, %lo : i32
      %slot = fmha.ring_slot %n of %k0, %k1 : !k0, !k1
      %tile = fmha.read k %slot after %now : !k0 -> !kt
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    %copy = fmha.stage @in memory {
      %ahead = arith.addi %t, %c2 : i32
      %n = arith.subi %ahead, %lo : i32
      %slot = fmha.ring_slot %n of %k0, %k1 : !k0, !k1
      %at2 = fmha.rows k %view, %t : !view
      %token = fmha.copy k %at2 into %slot dma(#dma) : !fmha.rows<32, bf16>, !k0
      fmha.yield %token : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(4)
    rocdl.s.barrier
    fmha.yield %next, %copy : !fmha.token, !fmha.token
  }
}
