// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl -split-input-file | FileCheck %s

// An immediate has 16 bits (CDNA4 ISA guide, DS). A buffer of 4096 bytes that begins at 61440 ends
// at 65536, the last byte that one reaches; of a ring the next ends at 65537 or later. Then
// the address of a lane counts from the first buffer, in a way that LLVM cannot take apart, and
// constant offsets, too.
// CHECK-LABEL: fmha.kernel @within
// CHECK-NOT: llvm.inline_asm
// CHECK: llvm.getelementptr %{{.*}}[61440]
// CHECK: llvm.getelementptr %{{.*}}[61472]
// CHECK-LABEL: fmha.kernel @ring
// CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %c61456
// CHECK: %[[BYTE:.*]] = llvm.inline_asm "", "=v,0" %[[FROM]] : (i32) -> i32
// CHECK: %[[TURN:.*]] = arith.addi %[[BYTE]], %{{.*}} : i32
// CHECK: %[[LANE:.*]] = llvm.getelementptr %{{.*}}[%[[TURN]]]
// CHECK: llvm.getelementptr %[[LANE]][0]
// CHECK: llvm.getelementptr %[[LANE]][32]
// CHECK: llvm.getelementptr %[[LANE]][2048]
// CHECK: llvm.getelementptr %[[LANE]][2080]
// CHECK-NOT: {{llvm.inline_asm|fmha.read}}

// Buffers of their own: from the one on that begins beyond, all of the operand count from its first.
// CHECK-LABEL: fmha.kernel @own
// CHECK: arith.addi %{{.*}}, %c61440
// CHECK: %[[LANE:.*]] = llvm.getelementptr
// CHECK: llvm.getelementptr %[[LANE]][4096]
// CHECK: llvm.getelementptr %[[LANE]][4128]

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [1, 2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
!within = !fmha.lds<64x64xf8E4M3FN, 61440, #lds>
!beyond = !fmha.lds<64x64xf8E4M3FN, 65536, #lds>
#k = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
fmha.kernel @within problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.token):
  %b = fmha.lds_buffer k : !within
  %0 = fmha.read k %b after %t : !within -> !fmha.tile<64x64xf8E4M3FN, #k>
  %1:2 = fmha.to_lanes %0 : !fmha.tile<64x64xf8E4M3FN, #k> -> vector<32xi8>, vector<32xi8>
}
!first = !fmha.lds<64x64xf8E4M3FN, 61456, #lds>
!second = !fmha.lds<64x64xf8E4M3FN, 65552, #lds>
fmha.kernel @ring problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.token, %n: i32):
  %b0 = fmha.lds_buffer k : !first
  %b1 = fmha.lds_buffer k : !second
  %slot = fmha.ring_slot %n of %b0, %b1 : !first, !second
  %0 = fmha.read k %slot after %t : !first -> !fmha.tile<64x64xf8E4M3FN, #k>
  %1:2 = fmha.to_lanes %0 : !fmha.tile<64x64xf8E4M3FN, #k> -> vector<32xi8>, vector<32xi8>
}
fmha.kernel @own problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.token):
  %b0 = fmha.lds_buffer k : !within
  %b1 = fmha.lds_buffer k : !beyond
  %0 = fmha.read k %b1 after %t : !beyond -> !fmha.tile<64x64xf8E4M3FN, #k>
  %1:2 = fmha.to_lanes %0 : !fmha.tile<64x64xf8E4M3FN, #k> -> vector<32xi8>, vector<32xi8>
}
