// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-matrix-to-amdgpu -split-input-file | FileCheck %s

// Lanes hold bits, the instruction takes elements: bits are cast to them. 64 columns are one
// instruction.
// CHECK-LABEL: fmha.kernel @product
// CHECK: %[[K:.*]] = vector.bitcast %{{.*}} : vector<32xi8> to vector<32xf8E4M3FN>
// CHECK: %[[Q:.*]] = vector.bitcast %{{.*}} : vector<32xi8> to vector<32xf8E4M3FN>
// CHECK: amdgpu.mfma 32x32x64 %[[K]] * %[[Q]] + %{{.*}} blgp = none : vector<32xf8E4M3FN>, vector<32xf8E4M3FN>, vector<16xf32>
// CHECK-NOT: amdgpu.mfma

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// Operands of 32x32x64 on 8 bits, 64 columns: lane half h holds columns 16h + e and 32 more.
#op = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
fmha.kernel @product problem(#problem) schedule(#schedule) {
^bb0(%q: !fmha.tile<32x64xf8E4M3FN, #op>, %k: !fmha.tile<32x64xf8E4M3FN, #op>):
  %s = fmha.product k %q, %k : !fmha.tile<32x64xf8E4M3FN, #op>, !fmha.tile<32x64xf8E4M3FN, #op> -> !fmha.tile<32x32xf32, #s>
  %l = fmha.to_lanes %s : !fmha.tile<32x32xf32, #s> -> vector<16xf32>
}

// -----

// 1 in e4m3 is 0 0111 000 (OCP 8-bit floating point: bias 7), 0x38 = 56. The ones are a sparse A
// of half as many elements (CDNA4 ISA guide, 7.5: of each four keys two, at places of two bits).
// Row i of A is in lanes i and i + 32: even rows take keys 0 and 1 of four, places 0b00 and
// 0b01, a byte of two pairs 0b01000100 = 0x44; odd rows 2 and 3, 0b11101110 = 0xEE = 0x44 ^ 0xAA.
// CHECK-LABEL: fmha.kernel @sum
// CHECK: %[[ONES:.*]] = arith.constant dense<56> : vector<16xi8>
// CHECK: %[[LANE:.*]] = fmha.id lane
// CHECK: %[[BIT:.*]] = arith.andi %[[LANE]], %c1_i32
// CHECK: %[[FLIP:.*]] = arith.muli %[[BIT]], %c-1431655766_i32
// CHECK: %[[WORD:.*]] = arith.xori %[[FLIP]], %c1145324612_i32
// CHECK: %[[INDEX:.*]] = llvm.bitcast %[[WORD]] : i32 to vector<2xi16>
// CHECK: %[[A:.*]] = vector.bitcast %[[ONES]]
// CHECK: amdgpu.sparse_mfma 32x32x64 %[[A]] * %{{.*}} + %{{.*}} sparse(%[[INDEX]] : vector<2xi16>) : vector<16xf8E4M3FN>, vector<32xf8E4M3FN>, vector<16xf32>
// CHECK-NOT: fmha.matrix_sum

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, sums = <m = 32, n = 32, k = 64>, pipeline = <stages = [<@all compute [qk]>]>>
#p = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#l = #fmha.lane_layout<fragment = 16, reg = [[0], [0], [0], [0]], lane = [[1], [2], [4], [8], [16], [0]], wave = []>
fmha.kernel @sum problem(#problem) schedule(#schedule) {
^bb0(%p: !fmha.tile<32x64xf8E4M3FN, #p>, %l: !fmha.tile<32xf32, #l>):
  %0 = fmha.matrix_sum %p to %l : !fmha.tile<32x64xf8E4M3FN, #p>, !fmha.tile<32xf32, #l>
  %1 = fmha.to_lanes %0 : !fmha.tile<32xf32, #l> -> vector<16xf32>
}
