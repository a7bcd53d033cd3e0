// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Each lane loads 8 bytes twice, of rows 32 apart, converts two elements an instruction with a
// factor of 1, and writes 16 bytes twice: 32 rows of 256 bytes apart.
// CHECK: %[[KRSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[TILE:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[A:.*]] = rocdl.raw.ptr.buffer.load %[[KRSRC]], {{.*}} : vector<2xi32>
// CHECK: llvm.bitcast %[[A]] : vector<2xi32> to vector<8xi8>
// CHECK: %[[B:.*]] = rocdl.raw.ptr.buffer.load %[[KRSRC]], {{.*}} : vector<2xi32>
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// No other load passes: those that are counted may stand on either side.
// CHECK: amdgpu.sched_barrier
// CHECK: %[[LOW:.*]] = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// CHECK: %[[HIGH:.*]] = vector.extract %{{.*}}[1] : i32 from vector<2xi32>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: rocdl.cvt.scalef32.pk.bf16.fp8 %[[LOW]][false], %[[ONE]] : vector<2xbf16>
// CHECK: rocdl.cvt.scalef32.pk.bf16.fp8 %[[LOW]][true], %[[ONE]] : vector<2xbf16>
// CHECK: rocdl.cvt.scalef32.pk.bf16.fp8 %[[HIGH]][false], %[[ONE]] : vector<2xbf16>
// CHECK: rocdl.cvt.scalef32.pk.bf16.fp8 %[[HIGH]][true], %[[ONE]] : vector<2xbf16>
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[LANE:.*]][0]
// CHECK: llvm.store %{{.*}}, %[[FIRST]] {alias_scopes = [{{.*}}], alignment = 16 : i64, noalias_scopes = [{{.*}}]} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: rocdl.cvt.scalef32.pk.bf16.fp8
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[LANE]][8192]
// CHECK: llvm.store %{{.*}}, %[[SECOND]] {alias_scopes = [{{.*}}], alignment = 16 : i64, noalias_scopes = [{{.*}}]} : vector<8xbf16>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
#problem = #fmha.problem<q = bf16, k = f8E4M3FN, v = f8E4M3FN, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, write_v, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, write_k ahead 2, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 8 elements a lane: over 8 waves 2 pieces each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, f8E4M3FN>
!pieces = !fmha.tile<64x128xf8E4M3FN, #pieces>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%i: i32):
  %view = fmha.view k : !view
  %k0 = fmha.lds_buffer k : !k0
  %at0 = fmha.rows k %view, %i : !view
  %f = fmha.fetch k %at0 : !fmha.rows<128, f8E4M3FN> -> !pieces
  %t = fmha.write k %f into %k0 : !pieces, !k0
}
