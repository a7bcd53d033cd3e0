// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl -split-input-file | FileCheck %s

// A fragment of 32 elements is two runs of 16 bytes, 32 columns apart: lane half h has columns
// 16h + e and 32 more. Two loads are joined.
// CHECK-LABEL: fmha.kernel @q
// CHECK: %[[LANE:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: %[[B0:.*]] = llvm.bitcast %{{.*}} : vector<4xi32> to vector<16xi8>
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: %[[B1:.*]] = llvm.bitcast %{{.*}} : vector<4xi32> to vector<16xi8>
// CHECK: %[[F:.*]] = vector.shuffle %[[B0]], %[[B1]] [0, 1, 2, {{.*}}, 29, 30, 31] : vector<16xi8>, vector<16xi8>
// CHECK: fmha.from_lanes %[[F]]
// CHECK-NOT: {{buffer.load|fmha.load_q}}

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#q = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
fmha.kernel @q problem(#problem) schedule(#schedule) {
  %view = fmha.view q : !fmha.view<64, f8E4M3FN>
  %q = fmha.load_q %view : !fmha.view<64, f8E4M3FN> -> !fmha.tile<32x64xf8E4M3FN, #q>
  %l = fmha.to_lanes %q : !fmha.tile<32x64xf8E4M3FN, #q> -> vector<32xi8>
}

// -----

// K by rows: four reads of 16 bytes, of keys 0 and 32 of the lane, columns 0 and 32. Lines are not
// padded, so 32 columns are 32 bytes and 32 keys 2048.
// CHECK-LABEL: fmha.kernel @rows
// CHECK: llvm.getelementptr %[[BASE:.*]][0]
// CHECK: llvm.load {{.*}} -> vector<16xi8>
// CHECK: llvm.getelementptr %{{.*}}[32]
// CHECK: llvm.load {{.*}} -> vector<16xi8>
// CHECK: vector.shuffle {{.*}} : vector<16xi8>, vector<16xi8>
// CHECK: llvm.getelementptr %{{.*}}[2048]
// CHECK: llvm.load {{.*}} -> vector<16xi8>
// CHECK: llvm.getelementptr %{{.*}}[2080]
// CHECK: llvm.load {{.*}} -> vector<16xi8>
// CHECK: vector.shuffle {{.*}} : vector<16xi8>, vector<16xi8>
// CHECK-NOT: {{llvm.load|fmha.read}}

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [1, 2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 4096, conflict_ways = 1>
!k = !fmha.lds<64x64xf8E4M3FN, 0, #lds>
#k = #fmha.lane_layout<fragment = 32, reg = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 16]], wave = []>
fmha.kernel @rows problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.token):
  %b = fmha.lds_buffer k : !k
  %0 = fmha.read k %b after %t : !k -> !fmha.tile<64x64xf8E4M3FN, #k>
  %1:2 = fmha.to_lanes %0 : !fmha.tile<64x64xf8E4M3FN, #k> -> vector<32xi8>, vector<32xi8>
}

// -----

// V by columns: a read transposes 8 keys of 8 bits for a lane; a fragment of 32 keys is four.
// CHECK-LABEL: fmha.kernel @columns
// CHECK-COUNT-4: rocdl.ds.read.tr8.b64 {{.*}} : <3> -> vector<2xi32>
// CHECK-NOT: rocdl.ds.read
// CHECK: vector.shuffle {{.*}} : vector<16xi8>, vector<16xi8>
// CHECK-NOT: fmha.read

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 64, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 32 bytes, 32 of them a line.
#lds = #fmha.lds_layout<row = [32, 64, 128, 256, 512, 1024], col = [1, 2, 4, 8, 16],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
!v = !fmha.lds<64x32xf8E4M3FN, 0, #lds>
#v = #fmha.lane_layout<fragment = 32, reg = [[1, 0], [2, 0], [8, 0], [16, 0], [32, 0]],
  lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], wave = []>
fmha.kernel @columns problem(#problem) schedule(#schedule) {
^bb0(%t: !fmha.token):
  %b = fmha.lds_buffer v : !v
  %0 = fmha.read v %b after %t : !v -> !fmha.tile<64x32xf8E4M3FN, #v>
  %1 = fmha.to_lanes %0 : !fmha.tile<64x32xf8E4M3FN, #v> -> vector<32xi8>
}
