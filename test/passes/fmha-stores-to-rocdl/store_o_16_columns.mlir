// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// 16 columns of 16x16x32 are one run of each of 4 lanes: there is none to swap with, so that
// a lane stores its 8 bytes of a row, and of the row 32 further.
// CHECK-NOT: permlane
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.store {{.*}} vector<2xi32>
// CHECK-NOT: rocdl.raw.ptr.buffer.store

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x16xf32, #o>):
  %view = fmha.view o : !fmha.view<16, bf16>
  fmha.store_o %o, %view : !fmha.tile<64x16xf32, #o>, !fmha.view<16, bf16>
}
