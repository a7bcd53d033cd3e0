// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl -split-input-file -verify-diagnostics

// O not transposed: a lane's registers are rows, runs are single columns.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[1, 0], [2, 0], [8, 0], [16, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #o>):
  %view = fmha.view o : !fmha.view<32, bf16>
  // expected-error-re @+1 {{'fmha.store_o' op expected runs of 4 columns, the next run in lane bit 4 or 5 and another in a register bit, found runs of 1 in #fmha.lane_layout<{{.*}}>}}
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, bf16>
}

// -----

// The next run lies in lane bit 3, which no permlane swap exchanges.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [0, 4], [8, 0], [16, 0]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #o>):
  %view = fmha.view o : !fmha.view<32, bf16>
  // expected-error-re @+1 {{'fmha.store_o' op expected runs of 4 columns, the next run in lane bit 4 or 5 and another in a register bit, found runs of 4 in #fmha.lane_layout<{{.*}}>}}
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, bf16>
}
