// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl | FileCheck %s

// 40 of 64 columns, O of 16x16x32: fragments of 4 columns at 0, 16, 32 and 48, the last
// in no register, for each of 2 row blocks. The runs of columns 32 on swap with those of
// columns 48 on all the same, zeros standing for them: 2 words a run.
// Lane column 16 * bit 4 + 8 * bit 5, at most 24: pieces of 8 from 0 on end at 32 at
// most; of those from 32 on the ones with a lane column below 40 - 32 = 8 are inside.
// CHECK: fmha.to_lanes {{.*}} -> vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
// CHECK-COUNT-2: rocdl.permlane16.swap
// CHECK-NOT: arith.select
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZV:.*]] = vector.from_elements %[[Z]], %[[Z]], %[[Z]], %[[Z]] : vector<4xf32>
// CHECK: %[[ZT:.*]] = arith.truncf %[[ZV]] : vector<4xf32> to vector<4xbf16>
// CHECK: %[[ZW:.*]] = llvm.bitcast %[[ZT]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[Z0:.*]] = vector.extract %[[ZW]][0]
// CHECK: %[[Z1:.*]] = vector.extract %[[ZW]][1]
// CHECK: rocdl.permlane16.swap %{{.*}}, %[[Z0]], false, false
// CHECK: rocdl.permlane16.swap %{{.*}}, %[[Z1]], false, false
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[C8]] : i32
// CHECK: arith.select %[[IN]]
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK-COUNT-2: rocdl.permlane16.swap
// CHECK-NOT: arith.select
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZV:.*]] = vector.from_elements %[[Z]], %[[Z]], %[[Z]], %[[Z]] : vector<4xf32>
// CHECK: %[[ZT:.*]] = arith.truncf %[[ZV]] : vector<4xf32> to vector<4xbf16>
// CHECK: %[[ZW:.*]] = llvm.bitcast %[[ZT]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[Z0:.*]] = vector.extract %[[ZW]][0]
// CHECK: %[[Z1:.*]] = vector.extract %[[ZW]][1]
// CHECK: rocdl.permlane16.swap %{{.*}}, %[[Z0]], false, false
// CHECK: rocdl.permlane16.swap %{{.*}}, %[[Z1]], false, false
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[C8]] : i32
// CHECK: arith.select %[[IN]]
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK-NOT: rocdl.raw.ptr.buffer.store

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 40, head_dim_v = 40, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [0, 32], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !fmha.tile<64x64xf32, cols = 40, #o>):
  %view = fmha.view o : !fmha.view<40, bf16>
  fmha.store_o %o, %view : !fmha.tile<64x64xf32, cols = 40, #o>, !fmha.view<40, bf16>
}
