// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// V of 8 bits, 64 keys, copied as FlyDSL's fp8 kernel does: a wave 1024 bytes. A row has 128 bytes,
// one for each column; lane l takes 16 columns l / 8 of key l % 4, or 8 more if its bit 2 is set.
// CHECK: %[[STRIDE64:.*]] = fmha.arg v_row_stride
// CHECK: %[[LAST:.*]] = arith.muli %{{.*}}, %[[STRIDE64]] : i64
// CHECK: %[[ROWBYTES:.*]] = arith.constant 128 : i64
// CHECK: %[[EXTENT:.*]] = arith.addi %[[LAST]], %[[ROWBYTES]] : i64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[EXTENT]],
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %[[C16]] : i32
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[KEY8:.*]] = arith.muli %{{.*}}, %[[C8]] : i32
// CHECK: %[[KEY:.*]] = arith.addi %{{.*}}, %[[KEY8]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %[[KEY]], %[[STRIDE]] : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[ONE]] : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[ROWB]], %[[COLB]] : i32
// CHECK: %[[C1024:.*]] = arith.constant 1024 : i32
// CHECK: arith.muli %{{.*}}, %[[C1024]] : i32
// CHECK: %[[BYTES:.*]] = arith.constant 16 : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %[[RSRC]], %{{.*}}, %[[BYTES]], %[[OFF]],
// CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#vlds = #fmha.lds_layout<row = [16, 32, 1024, 64, 2048, 4096], col = [1, 2, 4, 8, 128, 256, 512],
  line_bytes = 1024, bytes = 8192, conflict_ways = 1>
#vdma = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 4], [0, 8]],
  lane = [[1, 0], [2, 0], [8, 0], [0, 16], [0, 32], [0, 64]], wave = [[4, 0], [16, 0], [32, 0]]>
!vbuf = !fmha.lds<64x128xf8E4M3FN, 0, #vlds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %view = fmha.view v : !fmha.view<128, f8E4M3FN>
  %vb = fmha.lds_buffer v : !vbuf
  %at0 = fmha.rows v %view, %t : !fmha.view<128, f8E4M3FN>
  %tv = fmha.copy v %at0 into %vb dma(#vdma) : !fmha.rows<128, f8E4M3FN>, !vbuf
}
