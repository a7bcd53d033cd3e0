// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-sched-groups -verify-diagnostics

// As much as the stages have, class by class: no remark. 128 keys, Dqk = Dv = 128, 8 waves of 32
// rows. K: 16 bytes a read, 16384 bytes; V: 8. QK: 4 strips of keys times 2 of columns; PV: 4
// chunks of columns times 2 of keys. Of P two elements a conversion.
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 128, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager,
  pipeline = <instructions = pinned, stages = [
    <@k_in memory [read_k] groups [[ds_read 16]]>,
    <@scores compute [qk, convert] groups [[mfma 8, valu 32]]>,
    <@v_in memory [read_v] groups [[ds_read 32]]>,
    <@output compute [pv] groups [[mfma 8]]>]>>
#k = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 64], [32, 0], [64, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = [[0, 0], [0, 0], [0, 0]]>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
#lds = #fmha.lds_layout<row = [128, 2048, 1024, 4096, 256, 512, 8192], col = [1, 2, 4, 8, 16, 32, 64],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 16640, conflict_ways = 1>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = [[32, 0], [64, 0], [128, 0]]>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
#p = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
!b = !fmha.lds<128x128xf8E4M3FN, 0, #lds>
!q = !fmha.tile<256x128xf8E4M3FN, #q>
!k = !fmha.tile<128x128xf8E4M3FN, #k>
!v = !fmha.tile<128x128xf8E4M3FN, #v>
!s = !fmha.tile<256x128xf32, #s>
!p = !fmha.tile<256x128xf8E4M3FN, #p>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.token, %i: i32, %hi: i32, %q: !q, %k: !k, %v: !v, %s: !s, %p: !p):
  %b = fmha.lds_buffer k : !b
  fmha.kv_loop %n = %i to %hi {
    fmha.stage @k_in memory {
      %0 = fmha.read k %b after %t : !b -> !k
      fmha.yield
    }
    fmha.stage @scores compute {
      %0 = fmha.product k %q, %k : !q, !k -> !s
      %1 = fmha.convert %s : !s -> !p
      fmha.yield
    }
    fmha.stage @v_in memory {
      %0 = fmha.read v %b after %t : !b -> !v
      fmha.yield
    }
    fmha.stage @output compute {
      %0 = fmha.product v %p, %v onto %s : !s : !p, !v -> !s
      fmha.yield
    }
    fmha.yield
  }
}
