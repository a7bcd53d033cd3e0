// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// Two groups of a wave each, one barrier apart: the first group copies keys 0 to 15, the second
// 16 to 31. After one barrier the first group finds what it copied itself.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buf = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
// What 16x16x32 takes: fragment 0 is keys 0 to 15, fragment 1 keys 16 to 31.
#rows = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[0, 0]]>
!tile = !fmha.tile<32x32xbf16, #rows>
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
      %2 = fmha.read k %k after %now part <0 to 1 of 2> : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    fmha.stage @out memory {
      %4 = fmha.read k %k after %now part <1 to 2 of 2> : !buf -> !tile
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
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}

// -----

// But not what the second group copied.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buf = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
// What 16x16x32 takes: fragment 0 is keys 0 to 15, fragment 1 keys 16 to 31.
#rows = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[0, 0]]>
!tile = !fmha.tile<32x32xbf16, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k = fmha.lds_buffer k : !buf
  %first = fmha.stage @in memory {
    %at2 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at2 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-error @+1 {{read_k in @out reads what may not be there yet of load_k in @in: expected a barrier after the wait of the second wave group for load_k and before read_k of the first group, found the wait after 5 barriers and read_k after 5}}
      %2 = fmha.read k %k after %now part <1 to 2 of 2> : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    fmha.stage @out memory {
      %4 = fmha.read k %k after %now part <0 to 1 of 2> : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at3 = fmha.rows k %view, %t : !view
      // expected-note @+1 {{'fmha.copy' before it}}
      %3 = fmha.copy k %at3 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}
