// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu | FileCheck %s

// O^T += V^T P^T: V is operand A, P is operand B. Dv = 64 is 2 chunks of 32 columns,
// 64 keys are 4 steps of 16: 8 instructions. Fragments of V: steps in bits 0 and 1,
// chunk in bit 2. Of P: steps in bits 0 and 1. The chain starts from O.
// CHECK: fmha.kernel
// CHECK: %[[V:.*]]:8 = fmha.to_lanes
// CHECK: %[[P:.*]]:4 = fmha.to_lanes
// CHECK: %[[O:.*]]:2 = fmha.to_lanes
// CHECK-NEXT: %[[A0:.*]] = amdgpu.mfma 32x32x16 %[[V]]#0 * %[[P]]#0 + %[[O]]#0
// CHECK-NEXT: %[[A1:.*]] = amdgpu.mfma 32x32x16 %[[V]]#1 * %[[P]]#1 + %[[A0]]
// CHECK-NEXT: %[[A2:.*]] = amdgpu.mfma 32x32x16 %[[V]]#2 * %[[P]]#2 + %[[A1]]
// CHECK-NEXT: %[[A3:.*]] = amdgpu.mfma 32x32x16 %[[V]]#3 * %[[P]]#3 + %[[A2]]
// CHECK-NEXT: %[[B0:.*]] = amdgpu.mfma 32x32x16 %[[V]]#4 * %[[P]]#0 + %[[O]]#1
// CHECK-NEXT: %[[B1:.*]] = amdgpu.mfma 32x32x16 %[[V]]#5 * %[[P]]#1 + %[[B0]]
// CHECK-NEXT: %[[B2:.*]] = amdgpu.mfma 32x32x16 %[[V]]#6 * %[[P]]#2 + %[[B1]]
// CHECK-NEXT: %[[B3:.*]] = amdgpu.mfma 32x32x16 %[[V]]#7 * %[[P]]#3 + %[[B2]]
// CHECK-NEXT: %{{.*}} = fmha.from_lanes %[[A3]], %[[B3]]
// CHECK-NOT: amdgpu.mfma
// CHECK-NOT: fmha.product v

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#p = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<64x64xbf16, #p>, %v: !fmha.tile<64x64xbf16, #v>, %o: !fmha.tile<64x64xf32, #o>):
  %r = fmha.product v %p, %v onto %o : !fmha.tile<64x64xf32, #o> : !fmha.tile<64x64xbf16, #p>, !fmha.tile<64x64xbf16, #v> -> !fmha.tile<64x64xf32, #o>
  %l:2 = fmha.to_lanes %r : !fmha.tile<64x64xf32, #o> -> vector<16xf32>, vector<16xf32>
}
