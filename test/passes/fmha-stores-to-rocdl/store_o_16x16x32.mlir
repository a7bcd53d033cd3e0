// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// O of 16x16x32, transposed: lane c + 16g holds row c of its wave, register r column
// 16*(r/4 % 2) + 4g + r%4 and row 32*(r/8) more. A run is 4 columns, 8 bytes once
// rounded; the next run of the row lies 16 lanes on. v_permlane16_swap exchanges the
// odd groups of 16 lanes of its first operand with the even ones of its second: words
// of run 0 with words of run 1 leave columns 0..7 of its half of 16 in group 0, 8..15
// in group 2, and the same of columns 16 on in groups 1 and 3.
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
//
// Lane bit 4 is column 16 now, bit 5 column 8 as before.
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[HIGH4:.*]] = arith.shrui %[[ID:.*]], %[[C4]] : i32
// CHECK: %[[BIT4:.*]] = arith.andi %[[HIGH4]], %{{.*}} : i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[COL4:.*]] = arith.muli %[[BIT4]], %[[C16]] : i32
// CHECK: %[[C5:.*]] = arith.constant 5 : i32
// CHECK: %[[HIGH5:.*]] = arith.shrui %[[ID]], %[[C5]] : i32
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL5:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[COL:.*]] = arith.addi %[[COL4]], %[[COL5]] : i32
// The lane's row is its low 4 bits.
// CHECK: %[[C15:.*]] = arith.constant 15 : i32
// CHECK: %[[ROW:.*]] = arith.andi %[[ID]], %[[C15]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %[[ROW]], %[[STRIDE]] : i32
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[C2]] : i32
// CHECK: %[[OWN:.*]] = arith.addi %[[ROWB]], %[[COLB]] : i32
// The rows before the wave's are part of the same register: no scalar one is the offset of
// a store, whose data hardware reads late.
// CHECK: %[[WAVEB:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK-NEXT: %[[LANE:.*]] = arith.addi %[[OWN]], %[[WAVEB]] : i32
//
// Registers 0..3 and 4..7, 2 words each, 2 swaps; own words first, the other's behind.
// CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK: %[[NW:.*]] = llvm.bitcast %[[NEAR]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[N0:.*]] = vector.extract %[[NW]][0]
// CHECK: %[[N1:.*]] = vector.extract %[[NW]][1]
// CHECK: %[[FAR:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK: %[[FW:.*]] = llvm.bitcast %[[FAR]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[F0:.*]] = vector.extract %[[FW]][0]
// CHECK: %[[F1:.*]] = vector.extract %[[FW]][1]
// CHECK: %[[S0:.*]] = rocdl.permlane16.swap %[[N0]], %[[F0]], false, false
// CHECK: %[[W0:.*]] = llvm.extractvalue %[[S0]][0]
// CHECK: %[[W2:.*]] = llvm.extractvalue %[[S0]][1]
// CHECK: %[[S1:.*]] = rocdl.permlane16.swap %[[N1]], %[[F1]], false, false
// CHECK: %[[W1:.*]] = llvm.extractvalue %[[S1]][0]
// CHECK: %[[W3:.*]] = llvm.extractvalue %[[S1]][1]
// CHECK: %[[OFF:.*]] = arith.addi %[[LANE]], %{{.*}} : i32
// CHECK: %[[DATA:.*]] = vector.from_elements %[[W0]], %[[W1]], %[[W2]], %[[W3]] : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store %[[DATA]], %[[RSRC]], %[[OFF]], %{{.*}}, %{{.*}} : vector<4xi32>
//
// Registers 8..15 are 32 rows on; columns begin at 0 again.
// CHECK-COUNT-2: rocdl.permlane16.swap
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[R2:.*]] = arith.muli %[[C32]], %[[STRIDE]] : i32
// CHECK: %[[U2:.*]] = arith.addi %[[LANE]], %[[R2]] : i32
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[OFF2:.*]] = arith.addi %[[U2]], %[[C0]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF2]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: rocdl.permlane
// CHECK-NOT: rocdl.raw.ptr.buffer.store
// CHECK-NOT: fmha.store_o

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #o>):
  %view = fmha.view o : !fmha.view<32, bf16>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, bf16>
}
