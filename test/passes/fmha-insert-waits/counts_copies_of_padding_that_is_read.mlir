// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits | FileCheck %s

// 24 of 32 columns: the second step of 16 has data, so that all 4 copies are issued.
// CHECK: fmha.copy k
// CHECK: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.read v

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 24, head_dim_v = 24, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// 64 keys in lines of 32 keys and 16 columns: 4 lines, of which 2 hold columns 0..15.
#lds = #fmha.lds_layout<row = [32, 64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 2048],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0], [0, 16]],
  lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
!kbuf = !fmha.lds<64x32xbf16, 0, #lds>
!vbuf = !fmha.lds<64x32xbf16, 4096, #lds>
!view = !fmha.view<24, bf16>
!tile = !fmha.tile<64x32xbf16, cols = 24>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32):
  %k = fmha.lds_buffer k : !kbuf
  %v = fmha.lds_buffer v : !vbuf
  fmha.kv_loop %t = %lo to %hi {
    %ctv:2 = fmha.stage @copies compute {
      %at0 = fmha.rows v %view, %t : !view
      %tv = fmha.copy v %at0 into %v dma(#dma) : !fmha.rows<24, bf16>, !vbuf
      %at1 = fmha.rows k %view, %t : !view
      %tk = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<24, bf16>, !kbuf
      fmha.yield %tv, %tk : !fmha.token, !fmha.token
    } : !fmha.token, !fmha.token
    rocdl.s.barrier
    fmha.stage @use0 compute {
      %vt = fmha.read v %v after %ctv#0 : !vbuf -> !tile
      fmha.yield
    }
    rocdl.s.barrier
    fmha.stage @use1 compute {
      %kt = fmha.read k %k after %ctv#1 : !kbuf -> !tile
      fmha.yield
    }
    rocdl.s.barrier
    fmha.yield
  }
}
