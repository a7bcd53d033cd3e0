// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
// CHECK: #[[S:.*]] = #fmha.lane_layout<fragment = 16,
// CHECK: module attributes {test.t0 = !fmha.tile<128x64xf32>, test.t1 = !fmha.tile<64x128xbf16>, test.t2 = !fmha.tile<1x1xf16>, test.t3 = !fmha.tile<128xi32>, test.t4 = !fmha.tile<32x32xf32, #[[S]]>, test.t5 = !fmha.tile<64x256xbf16, cols = 192>, test.t6 = !fmha.tile<32x32xf32, cols = 24, #[[S]]>, test.t7 = !fmha.tile<64x32xbf16>, test.t8 = !fmha.tile<64x32xf8E4M3FN>, test.t9 = !fmha.tile<64x32xf8E5M2>}
module attributes {test.t0 = !fmha.tile<128x64xf32>, test.t1 = !fmha.tile<64x128xbf16>, test.t2 = !fmha.tile<1x1xf16>, test.t3 = !fmha.tile<128xi32>, test.t4 = !fmha.tile<32x32xf32, #s>, test.t5 = !fmha.tile<64x256xbf16, cols = 192>, test.t6 = !fmha.tile<32x32xf32, cols = 24, #s>, test.t7 = !fmha.tile<64x32xbf16, cols = 32>, test.t8 = !fmha.tile<64x32xf8E4M3FN>, test.t9 = !fmha.tile<64x32xf8E5M2>} {}
