// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-sched-groups -verify-diagnostics

// P of 32 rows and 64 keys a wave is 2048 elements, 8 a lane and instruction: four of them
// sum it, and half of it two; no vector instruction does.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 8, sums = <m = 16, n = 16, k = 32>,
  pipeline = <tiles = 1, stagger = 0, instructions = grouped, stages = [
    <@whole compute [row_sum] groups [100 x [mfma 1, valu 1]]>,
    <@half compute [qk] groups [100 x [mfma 1]]>]>>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#sums = #fmha.lane_layout<fragment = 4, reg = [[16], [0]], lane = [[1], [2], [4], [8], [0], [0]], wave = []>
!p = !fmha.tile<32x64xbf16, #p>
!l = !fmha.tile<32xf32, #sums>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%i: i32, %hi: i32, %p: !p, %l: !l):
  fmha.kv_loop %n = %i to %hi {
    // expected-remark @+2 {{recipe of @whole cannot be met: it asks for 100 mfma instructions, the stage has 4}}
    // expected-remark @+1 {{recipe of @whole cannot be met: it asks for 100 valu instructions, the stage has 0}}
    %0 = fmha.stage @whole compute {
      %1 = fmha.matrix_sum %p to %l : !p, !l
      fmha.yield %1 : !l
    } : !l
    // expected-remark @+1 {{recipe of @half cannot be met: it asks for 100 mfma instructions, the stage has 2}}
    %2 = fmha.stage @half compute {
      %3 = fmha.matrix_sum %p to %l part <1 to 2 of 2> : !p, !l
      fmha.yield %3 : !l
    } : !l
    fmha.yield
  }
}
