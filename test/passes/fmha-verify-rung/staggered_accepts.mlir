// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -verify-diagnostics

// Two wave groups, one barrier apart, and one buffer. A copy that the second group waits
// for behind barrier n of its own ends n + 1 barriers of the first behind; so two barriers are
// between a copy and the reads of it, and between reads and the next copy.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buf = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!tile = !fmha.tile<32x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k = fmha.lds_buffer k : !buf
  %first = fmha.stage @in memory {
    %at0 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at1 = fmha.rows k %view, %t : !view
      %3 = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}
