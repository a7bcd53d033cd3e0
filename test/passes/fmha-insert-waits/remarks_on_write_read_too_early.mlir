// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits -verify-diagnostics

// The first half reads while the second, one barrier behind, is in the stage of the write.
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = free, stages = [
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
  %fetched = fmha.fetch k %at0 : !fmha.rows<128, f8E4M3FN> -> !pieces
  fmha.stagger second barriers 1
  %written = fmha.stage @v_in memory {
    %1 = fmha.write k %fetched into %k0 : !pieces, !k0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @k_in memory {
    // expected-remark @+1 {{no place for a wait that makes its copy visible to all: there is no end of a stage between them with a barrier after it that every wave goes through before the read}}
    %2 = fmha.read k %k0 after %written : !k0 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stagger first barriers 1
}
