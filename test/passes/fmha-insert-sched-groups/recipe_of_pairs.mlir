// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-sched-groups -verify-diagnostics
// RUN: sed "s/valu 33/valu 34/; s/mfma 1, valu 1/mfma 1, valu 2/" %s | %fmhac-opt -fmha-insert-sched-groups 2>&1 | FileCheck %s

// Two values an instruction: 16 for the exponents of 32 scores; 15 sums of pairs, one of the
// two and one with the sum so far, and 16 conversions. As much as that is no remark, more
// of either is one.
// CHECK-COUNT-2: remark: {{.*}}valu

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager, packed = softmax,
  pipeline = <tiles = 2, stagger = 1, instructions = pinned, stages = [
    <@k_in memory [read_k, load_v] groups [[ds_read 16, vmem 2]]>,
    <@scores compute [qk, exp[1 to 2 of 2] ahead -1, row_sum ahead -1, convert ahead -1] groups [[mfma 16, valu 33, trans 16]]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2, row_max] groups [2 x [valu 8, ds_read 16, vmem 1]]>,
    <@output compute [pv ahead -1, subtract, exp[0 to 1 of 2]] groups [16 x [mfma 1, valu 1, trans 1]]>]>>
// 64 rows of 128 columns, 16384 bytes: over 8 waves of 1024 bytes a load, 2 loads each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!k1 = !fmha.lds<64x128xbf16, 16384, #lds>
!v0 = !fmha.lds<64x128xbf16, 32768, #lds>
!v1 = !fmha.lds<64x128xbf16, 49152, #lds>
!view = !fmha.view<128, bf16>
// Lane layouts of 32x32x16 products over 8 waves of 32 rows, Dqk = Dv = 128.
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0], [64, 0], [128, 0]]>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32], [64], [128]]>
!q = !fmha.tile<256x128xbf16, #q>
!k = !fmha.tile<64x128xbf16, #k>
!v = !fmha.tile<64x128xbf16, #v>
!s = !fmha.tile<256x64xf32, #s>
!p = !fmha.tile<256x64xbf16, #p>
!o = !fmha.tile<256x128xf32, #o>
!row = !fmha.tile<256xf32, #rows>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %t: !fmha.token, %factor: f32, %i: i32, %hi: i32, %q: !q, %k: !k, %v: !v, %s: !s, %p: !p, %o: !o, %row: !row):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  fmha.kv_loop %n = %i to %hi step 2 {
    fmha.stage @k_in memory {
      %0 = fmha.read k %k0 after %t : !k0 -> !k
      %at0 = fmha.rows v %view, %i : !view
      %1 = fmha.copy v %at0 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
      fmha.yield
    }
    %r:4 = fmha.stage @scores compute {
      %0 = fmha.product k %q, %k : !q, !k -> !s
      %1 = fmha.exp %s part <1 to 2 of 2> : !s
      %2 = fmha.row_sum %1 to %row : !row : !s -> !row
      %3 = fmha.convert %1 : !s -> !p
      fmha.yield %0, %1, %2, %3 : !s, !s, !row, !p
    } : !s, !s, !row, !p
    fmha.stage @v_in memory {
      %0 = fmha.read v %v0 after %t : !v0 -> !v
      %at1 = fmha.rows k %view, %i : !view
      %1 = fmha.copy k %at1 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
      %m, %shift, %c, %any = fmha.row_max %s, %row, %row, %factor : !s, !row
      fmha.yield
    }
    %u:2 = fmha.stage @output compute {
      %0 = fmha.product v %p, %v onto %o : !o : !p, !v -> !o
      %1 = fmha.subtract %s, %row, %factor : !s, !row
      %2 = fmha.exp %1 part <0 to 1 of 2> : !s
      fmha.yield %0, %2 : !o, !s
    } : !o, !s
    fmha.yield
  }
}
