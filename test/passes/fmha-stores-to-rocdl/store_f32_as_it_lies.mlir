// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// f32 output: a run of 4 columns is 16 bytes, what one store moves, and no lanes swap.
// Lane c + 32h holds columns 8i + 4h to 8i + 4h + 3 of its row in registers 4i to
// 4i + 3: byte 16h of the row in a register, 32i on for each store. 16 registers are
// 4 stores.
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C4]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[BYTES:.*]] = arith.constant 4 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[BYTES]] : i32
// CHECK: %[[OWN:.*]] = arith.addi %[[ROWB]], %[[COLB]] : i32
// The rows before the wave's are part of the same register: no scalar one is the offset of
// a store, whose data hardware reads late.
// CHECK: %[[WAVEB:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i32
// CHECK-NEXT: %[[LANE:.*]] = arith.addi %[[OWN]], %[[WAVEB]] : i32
// CHECK-NOT: arith.truncf
// CHECK: %[[F0:.*]] = vector.from_elements {{.*}} : vector<4xf32>
// CHECK: %[[W0:.*]] = llvm.bitcast %[[F0]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[K0:.*]] = arith.constant 0 : i32
// CHECK: %[[OFF0:.*]] = arith.addi %[[LANE]], %[[K0]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF0]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: %[[F1:.*]] = vector.from_elements {{.*}} : vector<4xf32>
// CHECK: %[[W1:.*]] = llvm.bitcast %[[F1]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[K1:.*]] = arith.constant 32 : i32
// CHECK: %[[OFF1:.*]] = arith.addi %[[LANE]], %[[K1]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF1]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: %[[F2:.*]] = vector.from_elements {{.*}} : vector<4xf32>
// CHECK: %[[W2:.*]] = llvm.bitcast %[[F2]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[K2:.*]] = arith.constant 64 : i32
// CHECK: %[[OFF2:.*]] = arith.addi %[[LANE]], %[[K2]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF2]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: %[[F3:.*]] = vector.from_elements {{.*}} : vector<4xf32>
// CHECK: %[[W3:.*]] = llvm.bitcast %[[F3]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[K3:.*]] = arith.constant 96 : i32
// CHECK: %[[OFF3:.*]] = arith.addi %[[LANE]], %[[K3]] : i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]], %[[OFF3]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: rocdl.permlane
// CHECK-NOT: arith.select
// CHECK-NOT: rocdl.raw.ptr.buffer.store

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x32xf32, #o>):
  %view = fmha.view o : !fmha.view<32, f32>
  fmha.store_o %o, %view : !fmha.tile<64x32xf32, #o>, !fmha.view<32, f32>
}
