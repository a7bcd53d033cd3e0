// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Buffers of 4160 bytes at 128 and 4352: one range that ends at 4352 + 4160 = 8512.
// CHECK-DAG: #[[SV:.*]] = #llvm.alias_scope<id = distinct[{{.*}}]<>, domain = #{{.*}}, description = "v">
// CHECK-DAG: #[[SK:.*]] = #llvm.alias_scope<id = distinct[{{.*}}]<>, domain = #{{.*}}, description = "k">
// CHECK: fmha.kernel
// CHECK: %[[LDS:.*]] = fmha.lds_base 8512 : !llvm.ptr<3>
// CHECK-NOT: fmha.lds_base
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc
// CHECK: %[[STRIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
//
// K. In memory a lane is at row lane / 4, column 8 * (lane % 4): a register. The
// rest, row 64 * index + 16 * wave + 0 or 32, is uniform and in soffset.
// CHECK-NOT: rocdl.sched.barrier
// CHECK: %[[M3:.*]] = arith.constant 3 : i32
// CHECK: %[[PART:.*]] = arith.andi %{{.*}}, %[[M3]] : i32
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[COL:.*]] = arith.muli %[[PART]], %[[C8]] : i32
// CHECK: %[[C4:.*]] = arith.constant 2 : i32
// CHECK: arith.shrui %{{.*}}, %[[C4]] : i32
// CHECK: %[[M15:.*]] = arith.constant 15 : i32
// CHECK: %[[ROW:.*]] = arith.andi %{{.*}}, %[[M15]] : i32
// CHECK: %[[ROWB:.*]] = arith.muli %[[ROW]], %[[STRIDE]] : i32
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[C2]] : i32
// CHECK: %[[OFF:.*]] = arith.addi %[[ROWB]], %[[COLB]] : i32
// CHECK: fmha.id wave : i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[WROW:.*]] = arith.muli %{{.*}}, %[[C16]] : i32
//
// In LDS the wave's line is 1040 bytes on, the second load's row 2080.
// CHECK: %[[C1040:.*]] = arith.constant 1040 : i32
// CHECK: %[[WLDS:.*]] = arith.muli %{{.*}}, %[[C1040]] : i32
// CHECK: %[[N:.*]] = arith.constant 64 : i32
// CHECK: %[[TROW:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK: %[[AT0:.*]] = arith.constant 128 : i32
// CHECK: %[[L0:.*]] = arith.addi %[[WLDS]], %[[AT0]] : i32
// CHECK: %[[P0:.*]] = llvm.getelementptr %[[LDS]][%[[L0]]]
// CHECK: %[[BYTES:.*]] = arith.constant 16 : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %[[RSRC]], %[[P0]], %[[BYTES]], %[[OFF]], %{{.*}}, %{{.*}}, %{{.*}} {alias_scopes = [#[[SK]]], noalias_scopes = [#[[SV]]]}
// CHECK: %[[R0:.*]] = arith.addi %[[TROW]], %[[WROW]] : i32
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[R1:.*]] = arith.addi %[[R0]], %[[C32]] : i32
// CHECK: %[[U1:.*]] = arith.muli %[[R1]], %[[STRIDE]] : i32
// CHECK: %[[AT1:.*]] = arith.constant 2208 : i32
// CHECK: %[[L1:.*]] = arith.addi %[[WLDS]], %[[AT1]] : i32
// CHECK: %[[P1:.*]] = llvm.getelementptr %[[LDS]][%[[L1]]]
// CHECK: rocdl.raw.ptr.buffer.load.lds %[[RSRC]], %[[P1]], %{{.*}}, %[[OFF]], %{{.*}}, %{{.*}}, %{{.*}} {alias_scopes = [#[[SK]]], noalias_scopes = [#[[SV]]]}
//
// The order of copies is fixed, as wait counts rest on it: sched_barrier after each
// tile's. Its mask is what may cross (LLVM AMDGPUUsage, sched_barrier): of the 11
// bits 0x7FF all but vector memory 0x10, its reads 0x20 and its writes 0x40, so
// 0x7FF - 0x70 = 0x78F = 1935.
// CHECK-NEXT: amdgpu.sched_barrier allow = <non_mem_non_sideffect|valu|salu|mfma_wmma|all_ds|ds_read|ds_write|transcendental>
//
// V: 4352, and 4352 + 2080 = 6432.
// CHECK: arith.constant 4352 : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds {{.*}} {alias_scopes = [#[[SV]]], noalias_scopes = [#[[SK]]]}
// CHECK: arith.constant 6432 : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds {{.*}} {alias_scopes = [#[[SV]]], noalias_scopes = [#[[SK]]]}
// CHECK-NEXT: amdgpu.sched_barrier allow = <non_mem_non_sideffect|valu|salu|mfma_wmma|all_ds|ds_read|ds_write|transcendental>
// CHECK-NOT: rocdl.sched.barrier
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK-NOT: fmha.load
// CHECK-NOT: fmha.lds_buffer

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// 64 keys of 64 bytes, 16 of them a line of 1024, lines padded by 16: 4 * 1040 = 4160
// bytes.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024, 2048], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16, bytes = 4160, conflict_ways = 1>
// 4 lanes along a row, 16 rows; the wave chooses the line, 32 keys on the next load.
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!k = !fmha.lds<64x32xbf16, 128, #lds>
!v = !fmha.lds<64x32xbf16, 4352, #lds>
!view = !fmha.view<32, bf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %k = fmha.lds_buffer k : !k
  %v = fmha.lds_buffer v : !v
  %view = fmha.view k : !view
  %at0 = fmha.rows k %view, %t : !view
  %0 = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !k
  %at1 = fmha.rows v %view, %t : !view
  %1 = fmha.copy v %at1 into %v dma(#dma) : !fmha.rows<32, bf16>, !v
}
