// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// Each differs from staggered_accepts.mlir in one thing.

// The groups are two barriers apart: the second group has not read when the first copies.
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
  fmha.stagger second barriers 2
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-note @+1 {{'fmha.read' before it}}
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at1 = fmha.rows k %view, %t : !view
      // expected-error @+1 {{load_k in @in overwrites what may still be read by read_k in @out: expected a barrier after the wait of the second wave group for read_k and before load_k of the first group, found the wait after 3 barriers and load_k after 3}}
      %3 = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 2
}

// -----

// One barrier is not enough after a copy: what the second group copied is read at once.
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
    %at2 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at2 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-error @+1 {{read_k in @out reads what may not be there yet of load_k in @in: expected a barrier after the wait of the second wave group for load_k and before read_k of the first group, found the wait after 4 barriers and read_k after 4}}
      %2 = fmha.read k %k after %now : !buf -> !tile
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

// -----

// Nobody waits for the copy of the round before.
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
    %at4 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at4 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-error @+1 {{read_k in @out reads what may not be there yet of load_k in @in: expected a barrier after the wait of the first wave group for load_k and before read_k of the first group, found no wait}}
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at5 = fmha.rows k %view, %t : !view
      // expected-note @+1 {{'fmha.copy' before it}}
      %3 = fmha.copy k %at5 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}

// -----

// One is left in flight that should not be.
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
    %at6 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at6 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-error @+1 {{read_k in @out reads what may not be there yet}}
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at7 = fmha.rows k %view, %t : !view
      // expected-note @+1 {{'fmha.copy' before it}}
      %3 = fmha.copy k %at7 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(1)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}

// -----

// Nobody waits for the reads.
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
    %at8 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at8 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-note @+1 {{'fmha.read' before it}}
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at9 = fmha.rows k %view, %t : !view
      // expected-error @+1 {{load_k in @in overwrites what may still be read by read_k in @out: expected a barrier after the wait of the first wave group for read_k and before load_k of the first group, found no wait}}
      %3 = fmha.copy k %at9 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}

// -----

// The wait stands after the barrier.
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
    %at10 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at10 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-note @+1 {{'fmha.read' before it}}
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    rocdl.s.barrier
    rocdl.s.barrier
    amdgpu.memory_counter_wait ds(0)
    %next = fmha.stage @in memory {
      %at11 = fmha.rows k %view, %t : !view
      // expected-error @+1 {{load_k in @in overwrites what may still be read by read_k in @out: expected a barrier after the wait of the first wave group for read_k and before load_k of the first group, found the wait after 3 barriers and load_k after 3}}
      %3 = fmha.copy k %at11 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}

// -----

// The first group ends a barrier short.
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
// expected-error @+1 {{expected both wave groups to go through as many barriers, found 1 and 2}}
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %token: !fmha.token):
  %k = fmha.lds_buffer k : !buf
  %first = fmha.stage @in memory {
    %at12 = fmha.rows k %view, %lo : !view
    %1 = fmha.copy k %at12 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
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
      %at13 = fmha.rows k %view, %t : !view
      %3 = fmha.copy k %at13 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
}

// -----

// A tile is copied over another that nobody read.
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
    %at14 = fmha.rows k %view, %lo : !view
    // expected-note @+1 {{'fmha.copy' before it}}
    %1 = fmha.copy k %at14 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  amdgpu.memory_counter_wait load(0)
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %first) -> (!fmha.token) {
    fmha.stage @out memory {
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at15 = fmha.rows k %view, %t : !view
      // expected-error @+1 {{copies into a buffer that nothing was read from since the last copy}}
      %3 = fmha.copy k %at15 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}

// -----

// Nothing was copied into the buffer.
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
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %r = fmha.kv_loop %t = %lo to %hi iter_args(%now = %token) -> (!fmha.token) {
    fmha.stage @out memory {
      // expected-error @+1 {{reads a buffer that nothing was copied into}}
      %2 = fmha.read k %k after %now : !buf -> !tile
      fmha.yield
    }
    amdgpu.memory_counter_wait ds(0)
    rocdl.s.barrier
    rocdl.s.barrier
    %next = fmha.stage @in memory {
      %at16 = fmha.rows k %view, %t : !view
      %3 = fmha.copy k %at16 into %k dma(#dma) : !fmha.rows<32, bf16>, !buf
      fmha.yield %3 : !fmha.token
    } : !fmha.token
    amdgpu.memory_counter_wait load(0)
    rocdl.s.barrier
    rocdl.s.barrier
    fmha.yield %next : !fmha.token
  }
  fmha.stagger first barriers 1
}
