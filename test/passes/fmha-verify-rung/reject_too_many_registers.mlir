// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=layouts -split-input-file -verify-diagnostics

// Q, which the loop takes from in front of it, and O, which it carries. Head size 64,
// one wave of 64 lanes: of 16-bit Q a row of 64 takes 2048 bytes a 16 rows, of f32 O
// twice that. 512 rows are 64 KiB and 128 KiB, of 256 bytes a register: 256 and 512.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 512, tile_n = 64, waves = 1, waves_per_simd = 1,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
!view = !fmha.view<64, bf16>
!q = !fmha.tile<512x64xbf16, #fmha.lane_layout<fragment = 8,
  reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [32, 0], [64, 0], [128, 0], [256, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>>
!o = !fmha.tile<512x64xf32, #fmha.lane_layout<fragment = 16,
  reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [32, 0], [64, 0], [128, 0], [256, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>>
!m = !fmha.tile<512xf32, #fmha.lane_layout<fragment = 1,
  reg = [[32], [64], [128], [256]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32, %factor: f32):
  %q = fmha.load_q %view : !view -> !q
  %o = fmha.init 0.0 : !o
  %m = fmha.init 0.0 : !m
  // expected-error @+1 {{'fmha.kv_loop' op does not fit: expected a wave to hold at most 512 registers a lane (512 with waves_per_simd = 1) from one round to the next, found at least 784 with tile_m = 512 (load_q 256, carried 528); reduce tile_m, tile_n or waves_per_simd, or take more waves}}
  %r:2 = fmha.kv_loop %t = %lo to %hi iter_args(%a = %o, %b = %m) -> (!o, !m) {
    %x = fmha.apply_sign %q, %factor : !q
    fmha.yield %a, %b : !o, !m
  }
}
