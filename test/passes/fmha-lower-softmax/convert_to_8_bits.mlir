// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-lower-softmax | FileCheck %s

// Four weights a word, two an instruction: first the low half of the word, then the high one.
// 32 weights are 8 words, a fragment of P.
// CHECK: %[[X:.*]] = fmha.to_lanes %{{.*}} -> vector<16xf32>, vector<16xf32>
// CHECK: %[[NONE:.*]] = llvm.mlir.poison : i32
// CHECK: %[[LOW:.*]] = rocdl.cvt.pk.fp8.f32 %[[X0:.*]], %[[X1:.*]] -> %[[NONE]][false] : i32
// CHECK: %[[WORD:.*]] = rocdl.cvt.pk.fp8.f32 %[[X2:.*]], %[[X3:.*]] -> %[[LOW]][true] : i32
// CHECK-COUNT-14: rocdl.cvt.pk.fp8.f32
// CHECK-NOT: rocdl.cvt
// CHECK: llvm.bitcast %{{.*}} : vector<8xi32> to vector<32xi8>
// CHECK-NOT: fmha.convert

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#p = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%x: !fmha.tile<32x64xf32, #s>):
  %0 = fmha.convert %x : !fmha.tile<32x64xf32, #s> -> !fmha.tile<32x64xf8E4M3FN, #p>
  %1 = fmha.to_lanes %0 : !fmha.tile<32x64xf8E4M3FN, #p> -> vector<32xi8>
}
