// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// O, 16 registers a lane: register r of half h is column 8*(r/4) + 4h + r%4, so runs of
// 4 columns, 8 bytes once rounded. The lower half has columns 0..3 and 8..11 of its
// row, the upper half 4..7 and 12..15. v_permlane32_swap exchanges the upper half of
// its first operand with the lower half of its second: words of run 0 with words of
// run 1 leave columns 0..7 in the lower and 8..15 in the upper half. 2 words a run,
// 2 swaps a store; 16 registers are 2 stores of 16 bytes.
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
// The upper half stores 8 columns, 16 bytes, on.
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[C2]] : i32
// CHECK: %[[OWN:.*]] = arith.addi %[[ROWB]], %[[COLB]] : i32
// The rows before the wave's are part of the same register: no scalar one is the offset of
// a store, whose data hardware reads late.
// CHECK: %[[WAVEB:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK-NEXT: %[[LANE:.*]] = arith.addi %[[OWN]], %[[WAVEB]] : i32
// CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK: %[[NW:.*]] = llvm.bitcast %[[NEAR]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[N0:.*]] = vector.extract %[[NW]][0]
// CHECK: %[[N1:.*]] = vector.extract %[[NW]][1]
// CHECK: %[[FAR:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK: %[[FW:.*]] = llvm.bitcast %[[FAR]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[F0:.*]] = vector.extract %[[FW]][0]
// CHECK: %[[F1:.*]] = vector.extract %[[FW]][1]
// CHECK: %[[S0:.*]] = rocdl.permlane32.swap %[[N0]], %[[F0]], false, false
// CHECK: %[[W0:.*]] = llvm.extractvalue %[[S0]][0]
// CHECK: %[[W2:.*]] = llvm.extractvalue %[[S0]][1]
// CHECK: %[[S1:.*]] = rocdl.permlane32.swap %[[N1]], %[[F1]], false, false
// CHECK: %[[W1:.*]] = llvm.extractvalue %[[S1]][0]
// CHECK: %[[W3:.*]] = llvm.extractvalue %[[S1]][1]
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %{{.*}} : i32
// CHECK: %[[DATA:.*]] = vector.from_elements %[[W0]], %[[W1]], %[[W2]], %[[W3]] : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store %[[DATA]], %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : vector<4xi32>
//
// Registers 8..15 are columns 16 on: 32 bytes.
// CHECK: rocdl.permlane32.swap
// CHECK: rocdl.permlane32.swap
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[OFF2:.*]] = arith.addi %[[LANE]], %[[C32]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF2]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: rocdl.permlane32.swap
// CHECK-NOT: rocdl.raw.ptr.buffer.store
// CHECK-NOT: fmha.store_o

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
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
  %view = fmha.view o : !fmha.view<32, bf16>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, bf16>
}
