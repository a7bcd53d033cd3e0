// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// O, 16 registers a lane: register r of half h is column 8*(r/4) + 4h + r%4. Four columns are a word
// of 8-bit elements; a lane has words of columns 0, 8, 16 and 24 (4 on in the upper half), and a
// store moves four. A swap of words 0 and 16 leaves columns 0..7 in the lower half, 16..23 in
// the upper one; one of words 8 and 24 leaves 8..15 and 24..31.
//
// FP16_OVFL, bit 23 of MODE (register 1): hwreg 1 + 64 * 23. Without it what is beyond 448 becomes NaN.
// CHECK: %[[MODE:.*]] = arith.constant 1473 : i32
// CHECK: %[[ON:.*]] = arith.constant 1 : i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.setreg"(%[[MODE]], %[[ON]])
// The upper half stores 16 columns on, of one byte each.
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: arith.muli %{{.*}}, %[[C16]] : i32
// CHECK: %[[A0:.*]] = rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %{{.*}}[false] : i32
// CHECK: %[[A:.*]] = rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %[[A0]][true] : i32
// CHECK: rocdl.cvt.pk.fp8.f32
// CHECK: %[[C:.*]] = rocdl.cvt.pk.fp8.f32 {{.*}}[true] : i32
// CHECK: %[[S0:.*]] = rocdl.permlane32.swap %[[A]], %[[C]], false, false
// CHECK: %[[W0:.*]] = llvm.extractvalue %[[S0]][0]
// CHECK: %[[W1:.*]] = llvm.extractvalue %[[S0]][1]
// CHECK: rocdl.cvt.pk.fp8.f32
// CHECK: %[[B:.*]] = rocdl.cvt.pk.fp8.f32 {{.*}}[true] : i32
// CHECK: rocdl.cvt.pk.fp8.f32
// CHECK: %[[D:.*]] = rocdl.cvt.pk.fp8.f32 {{.*}}[true] : i32
// CHECK: %[[S1:.*]] = rocdl.permlane32.swap %[[B]], %[[D]], false, false
// CHECK: %[[W2:.*]] = llvm.extractvalue %[[S1]][0]
// CHECK: %[[W3:.*]] = llvm.extractvalue %[[S1]][1]
// CHECK: %[[DATA:.*]] = vector.from_elements %[[W0]], %[[W1]], %[[W2]], %[[W3]] : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store %[[DATA]],
// CHECK-NOT: rocdl.raw.ptr.buffer.store

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = f8E4M3FN, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0]]>
#v = #fmha.lane_layout<fragment = 8, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = [[0, 0]]>
#q = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0]]>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #o>):
  %view = fmha.view o : !fmha.view<32, f8E4M3FN>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, f8E4M3FN>
}
