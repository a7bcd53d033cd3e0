// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl -split-input-file | FileCheck %s

// Blocks of 16 rows: row / 16 of the lane's row. The slice ends with factor ceil(Sq / 16).
// CHECK-LABEL: fmha.kernel @rows
// CHECK: fmha.arg q_scale_batch_stride
// CHECK: fmha.seq_len q : i32
// CHECK: %[[C15:.*]] = arith.constant 15 : i32
// CHECK: %[[UP:.*]] = arith.addi %{{.*}}, %[[C15]] : i32
// CHECK: arith.divui %[[UP]],
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[BLOCK:.*]] = arith.divui %{{.*}}, %[[C16]] : i32
// CHECK: %[[BYTE:.*]] = arith.muli %[[BLOCK]], %[[STRIDE]] : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %[[BYTE]], %{{.*}} : f32
// CHECK-NOT: rocdl.raw.ptr.buffer.load
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, q_scale = block, scale_block = 16>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x64, transposed: lane c + 32h holds row c of its wave, register r key
// 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @rows problem(#problem) schedule(#schedule) {
  %view = fmha.view q_scale : !view
  %0 = fmha.load_factors %view : !view -> !row
  %1 = fmha.to_lanes %0 : !row -> vector<1xf32>
}

// -----

// A factor for each key: 16 registers, 16 loads; from register to register the uniform part
// goes on by the keys between them, 1 and then 5 after every fourth.
// CHECK-LABEL: fmha.kernel @keys
// CHECK: rocdl.raw.ptr.buffer.load
// CHECK: llvm.inline_asm {{.*}}"=s,0"
// CHECK: arith.constant 1 : i32
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.load
// CHECK: rocdl.raw.ptr.buffer.load
// CHECK: arith.constant 5 : i32
// CHECK-COUNT-12: rocdl.raw.ptr.buffer.load
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
// CHECK: arith.mulf
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = token>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x64, transposed: lane c + 32h holds row c of its wave, register r key
// 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @keys problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %i: i32):
  %view = fmha.view k_scale : !view
  %0 = fmha.scale_keys %s, %view, %i : !s, !view
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}

// -----

// 24 is a multiple of 8: keys that differ in three bits share a factor, of which there are four in a
// tile of 32.
// CHECK-LABEL: fmha.kernel @eights
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load
// CHECK-NOT: rocdl.raw.ptr.buffer.load
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, scale_block = 24>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x64, transposed: lane c + 32h holds row c of its wave, register r key
// 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @eights problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %i: i32):
  %view = fmha.view k_scale : !view
  %0 = fmha.scale_keys %s, %view, %i : !s, !view
  %1 = fmha.to_lanes %0 : !s -> vector<16xf32>
}

// -----

// Two tiles in a block of 64: one factor for a tile, by a scalar load, which has no bounds: a tile
// past the last key has the last factor.
// CHECK-LABEL: fmha.kernel @tiles
// CHECK: %[[SK:.*]] = fmha.seq_len kv : i32
// CHECK: %[[LAST:.*]] = arith.divui
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[BLOCK:.*]] = arith.divui %{{.*}}, %[[C2]] : i32
// CHECK: arith.minsi %[[BLOCK]], %[[LAST]] : i32
// CHECK: fmha.load_uniform v_scale at
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK-NOT: rocdl.make.buffer.rsrc
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = block, scale_block = 64>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// S of 32x32x64, transposed: lane c + 32h holds row c of its wave, register r key
// 8*(r/4) + 4h + r%4; rows: one value in both lanes of a row.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @tiles problem(#problem) schedule(#schedule) {
^bb0(%x: !s, %i: i32, %most: !row):
  %view = fmha.view v_scale : !view
  %0, %1, %2 = fmha.fold_keys %x, %view, %i, %most : !s, !view, !row
  %3 = fmha.to_lanes %0 : !s -> vector<16xf32>
  %4 = fmha.to_lanes %1 : !row -> vector<1xf32>
  %5 = fmha.to_lanes %2 : !row -> vector<1xf32>
}

// -----

// Relative to a power of two: no division. That below the greatest |factor| which counts, its exponent
// of all but mantissa and sign, is carried; factors are taken relative to twice that.
// CHECK-LABEL: fmha.kernel @folds
// CHECK: fmha.load_uniform v_scale at
// CHECK: math.absf
// CHECK: arith.constant 2139095040 : i32
// CHECK: %[[POWER:.*]] = arith.andi
// CHECK: %[[FLOAT:.*]] = {{.*}}bitcast{{.*}} %[[POWER]]
// CHECK: %[[MOST:.*]] = arith.maxnumf %{{.*}}, %[[FLOAT]]
// CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.amdgcn.frexp.exp.i32.f32"(%[[MOST]])
// CHECK: %[[DOWN:.*]] = arith.subi %{{.*}}, %[[E]] : i32
// CHECK: llvm.call_intrinsic "llvm.ldexp.f32.i32"(%{{.*}}, %{{.*}})
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.ldexp.f32.i32"(%{{.*}}, %[[DOWN]])
// CHECK-NOT: llvm.call_intrinsic
// CHECK-NOT: divf
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, v_scale = block, scale_block = 32>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!s = !fmha.tile<64x32xf32, #s>
!row = !fmha.tile<64xf32, #rows>
!view = !fmha.view<1, f32>
fmha.kernel @folds problem(#problem) schedule(#schedule) {
^bb0(%x: !s, %i: i32, %most: !row):
  %view = fmha.view v_scale : !view
  %0, %1, %2 = fmha.fold_keys %x, %view, %i, %most : !s, !view, !row
  %3 = fmha.to_lanes %0 : !s -> vector<16xf32>
  %4 = fmha.to_lanes %1 : !row -> vector<1xf32>
  %5 = fmha.to_lanes %2 : !row -> vector<1xf32>
}
