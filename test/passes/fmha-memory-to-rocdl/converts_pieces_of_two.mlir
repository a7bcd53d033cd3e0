// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// A tile of fewer bytes than a line for each wave: lanes take 2 elements, 2 bytes of memory and 4
// of LDS. Of 24 columns of V (e5m2, in f16) there are 32 in LDS; pieces beyond column 24 are
// fetched from past the end and are zero.
// CHECK: %[[OFF:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[A:.*]] = rocdl.raw.ptr.buffer.load %{{.*}}, %[[OFF]], {{.*}} : i16
// CHECK: %[[W:.*]] = arith.extui %{{.*}} : i16 to i32
// CHECK: %[[P:.*]] = rocdl.cvt.scalef32.pk.f16.bf8 %[[W]][false], %{{.*}} : vector<2xf16>
// CHECK-NOT: rocdl.cvt
// CHECK: llvm.store %{{.*}}, %{{.*}} {alias_scopes = [{{.*}}], alignment = 4 : i64, noalias_scopes = [{{.*}}]} : vector<2xf16>, !llvm.ptr<3>
#problem = #fmha.problem<q = f16, k = f8E5M2, v = f8E5M2, p = f16, o = f16, head_dim_qk = 24, head_dim_v = 24, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 32 rows of 64 bytes: 2048, over 4 waves 256 each and instruction, twice.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 256, bytes = 2048, conflict_ways = 1>
#pieces = #fmha.lane_layout<fragment = 2, reg = [[0, 1], [16, 0]],
  lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], wave = [[4, 0], [8, 0]]>
!v0 = !fmha.lds<32x32xf16, 0, #lds>
!view = !fmha.view<24, f8E5M2>
!pieces = !fmha.tile<32x32xf8E5M2, #pieces>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%i: i32):
  %view = fmha.view v : !view
  %v0 = fmha.lds_buffer v : !v0
  %at0 = fmha.rows v %view, %i : !view
  %f = fmha.fetch v %at0 : !fmha.rows<24, f8E5M2> -> !pieces
  %t = fmha.write v %f into %v0 : !pieces, !v0
}
