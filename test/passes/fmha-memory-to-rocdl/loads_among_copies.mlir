// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// Between two walls, nothing crosses between copies and loads to registers: a bias after a copy,
// and a copy after it. Where copies are alone, only vector memory does not.
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: amdgpu.sched_barrier allow = <non_mem_non_sideffect|valu|salu|mfma_wmma|all_ds|ds_read|ds_write|transcendental>
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-16: rocdl.raw.ptr.buffer.load %
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: fmha.wall
// CHECK-NOT: amdgpu.sched_barrier allow = <none>
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK-NOT: amdgpu.sched_barrier allow = <none>
// CHECK: rocdl.raw.ptr.buffer.load.lds
// CHECK: fmha.wall
// CHECK-NOT: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-16: rocdl.raw.ptr.buffer.load %
// CHECK-NOT: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-16: rocdl.raw.ptr.buffer.load %
// CHECK-NOT: amdgpu.sched_barrier allow = <none>

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, bias = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 32, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!s = !fmha.tile<64x32xf32, #s>
// Rows of 64 bytes: a lane has 16 of them.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%s: !s, %t: i32):
  %view = fmha.view v : !fmha.view<32, bf16>
  %bias = fmha.view bias : !fmha.view<32, f32>
  %v = fmha.lds_buffer v : !buffer
  %at0 = fmha.rows v %view, %t : !fmha.view<32, bf16>
  %0 = fmha.copy v %at0 into %v dma(#dma) : !fmha.rows<32, bf16>, !buffer
  %1 = fmha.add_bias %s, %bias, %t : !s, !fmha.view<32, f32>
  %at1 = fmha.rows v %view, %t : !fmha.view<32, bf16>
  %2 = fmha.copy v %at1 into %v dma(#dma) : !fmha.rows<32, bf16>, !buffer
  fmha.wall
  %at2 = fmha.rows v %view, %t : !fmha.view<32, bf16>
  %3 = fmha.copy v %at2 into %v dma(#dma) : !fmha.rows<32, bf16>, !buffer
  %at3 = fmha.rows v %view, %t : !fmha.view<32, bf16>
  %4 = fmha.copy v %at3 into %v dma(#dma) : !fmha.rows<32, bf16>, !buffer
  fmha.wall
  %5 = fmha.add_bias %1, %bias, %t : !s, !fmha.view<32, f32>
  %6 = fmha.add_bias %5, %bias, %t : !s, !fmha.view<32, f32>
  %l = fmha.to_lanes %6 : !s -> vector<16xf32>
}
