// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits -verify-diagnostics | FileCheck %s

// What waves exchange lies where buffers are: the last stage waits for a copy that nobody reads. Of the exchange
// each wave waits for what it did before the barrier; what it gathers last is waited for where it is used.
// CHECK: fmha.copy k
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.share
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.gather
// CHECK-NOT: memory_counter_wait

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all memory [load_k]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0]]>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<9216>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %i: i32, %f: f32):
  %x = fmha.lds_exchange : !x
  %k = fmha.lds_buffer k : !buffer
  %m = fmha.init 0.0 : !row
  %o = fmha.init 0.0 : !o
  // expected-remark @+1 {{the end of @all waits for what was copied last, whether it is read or not: waves exchange tiles in the same places}}
  fmha.stage @all memory {
    %at = fmha.rows k %view, %i : !view
    %t = fmha.copy k %at into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
    fmha.yield
  }
  rocdl.s.barrier
  %t0 = fmha.share %o, %m, %m into %x : !o, !row, !x
  rocdl.s.barrier
  %o0, %m0, %l0 = fmha.gather %x after %t0 by %f : !x -> !o, !row
}
