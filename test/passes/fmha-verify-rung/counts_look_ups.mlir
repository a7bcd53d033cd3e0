// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// After its copy the wave looks up the pages of the 2 keys of a lane, which no page of 2 keys has
// of all lanes: a wait that leaves as many in flight covers the copy.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, lengths_kv = true, pages = table, page_size = 2>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 16384 bytes: over 8 waves of 1024 bytes a load, 2 loads each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
// A lane copies keys r and r + 32.
#keys = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[0], [0], [0], [0], [1], [2]], wave = [[4], [8], [16]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, bf16>
!kv = !fmha.tile<64x128xbf16>
!table = !fmha.view<1, i32>
!pages = !fmha.tile<64xi32, #keys>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %i: i32):
  %k0 = fmha.lds_buffer k : !k0
  %copied = fmha.stage @v_in memory {
    %at0 = fmha.rows k %view, %i : !view
    %1 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @v_in memory {
    %2 = fmha.look_up v %table, %i : !table -> !pages
    fmha.yield
  }
  amdgpu.memory_counter_wait load(2)
  rocdl.s.barrier
  fmha.stage @k_in memory {
    %3 = fmha.read k %k0 after %copied : !k0 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
}

// -----

// Pages of 32 hold those of all lanes: numbers come by scalar loads, and the two in flight are the
// copy's.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal, lengths_kv = true, pages = table, page_size = 32>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 16384 bytes: over 8 waves of 1024 bytes a load, 2 loads each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
// A lane copies keys r and r + 32.
#keys = #fmha.lane_layout<fragment = 1, reg = [[32]], lane = [[0], [0], [0], [0], [1], [2]], wave = [[4], [8], [16]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, bf16>
!kv = !fmha.tile<64x128xbf16>
!table = !fmha.view<1, i32>
!pages = !fmha.tile<64xi32, #keys>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %table: !table, %i: i32):
  %k0 = fmha.lds_buffer k : !k0
  %copied = fmha.stage @v_in memory {
    %at0 = fmha.rows k %view, %i : !view
    // expected-note @+1 {{before it}}
    %1 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @v_in memory {
    %2 = fmha.look_up v %table, %i : !table -> !pages
    fmha.yield
  }
  amdgpu.memory_counter_wait load(2)
  rocdl.s.barrier
  fmha.stage @k_in memory {
    // expected-error @+1 {{read_k in @k_in reads what may not be there yet of load_k}}
    %3 = fmha.read k %k0 after %copied : !k0 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
}

