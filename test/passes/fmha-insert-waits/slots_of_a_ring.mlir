// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits | FileCheck %s

// One tile a round, two buffers each, taken in turn when the kernel runs: no read says
// which buffer it reads, only its token which copy, through stages, through the loop,
// which exchanges two tokens of K, and after it. A memory stage a column, no stagger:
//   copies  K0 | K1 | V0 | K2 || V1 | K3 || V2 | K4 ||
//   reads           | K0 |    || K1 | V0 || K2 | V1 ||
// The end of the stage before a read is the latest place for its wait. A copy is two
// instructions.
//
// K0, with K1 in flight after it.
// CHECK: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(2)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @k_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// K1, with V0 and K2 after it.
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.kv_loop
// V0, with K2 and V1; the same a round later.
// CHECK: fmha.stage @k_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// K2, with V1 and K3.
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.yield
// CHECK-NEXT: }
// CHECK-NEXT: fmha.stage @k_in memory
// CHECK: }
// As in the loop.
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NOT: fmha.wait

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 1, stagger = 0, instructions = free, stages = [
    <@k_in memory [read_k, load_v]>,
    <@scores compute [qk]>,
    <@v_in memory [read_v ahead -1, load_k ahead 2]>,
    <@output compute [pv ahead -1]>]>>
// 64 rows of 128 columns, 16384 bytes: over 8 waves of 1024 bytes a load, 2 loads each.
#lds = #fmha.lds_layout<row = [256, 512, 1024, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 64, 128],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], wave = [[4, 0], [8, 0], [16, 0]]>
!k0 = !fmha.lds<64x128xbf16, 0, #lds>
!k1 = !fmha.lds<64x128xbf16, 16384, #lds>
!v0 = !fmha.lds<64x128xbf16, 32768, #lds>
!v1 = !fmha.lds<64x128xbf16, 49152, #lds>
!view = !fmha.view<128, bf16>
!kv = !fmha.tile<64x128xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %lo: i32, %hi: i32):
  %c1 = arith.constant 1 : i32
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %kFirst = fmha.stage @v_in memory {
    %at0 = fmha.rows k %view, %lo : !view
    %0 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %0 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  %kSecond = fmha.stage @v_in memory {
    %at1 = fmha.rows k %view, %lo : !view
    %0 = fmha.copy k %at1 into %k1 dma(#dma) : !fmha.rows<128, bf16>, !k1
    fmha.yield %0 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  %vFirst = fmha.stage @k_in memory {
    %0 = fmha.read k %k0 after %kFirst : !k0 -> !kv
    %at2 = fmha.rows v %view, %lo : !view
    %1 = fmha.copy v %at2 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  %kThird = fmha.stage @v_in memory {
    %at3 = fmha.rows k %view, %lo : !view
    %0 = fmha.copy k %at3 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %0 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  %last:3 = fmha.kv_loop %t = %lo to %hi
      iter_args(%now = %kSecond, %next = %kThird, %vBefore = %vFirst)
      -> (!fmha.token, !fmha.token, !fmha.token) {
    %v = fmha.stage @k_in memory {
      %slot = fmha.ring_slot %t of %k0, %k1 : !k0, !k1
      %0 = fmha.read k %slot after %now : !k0 -> !kv
      %to = fmha.ring_slot %t of %v0, %v1 : !v0, !v1
      %at4 = fmha.rows v %view, %t : !view
      %1 = fmha.copy v %at4 into %to dma(#dma) : !fmha.rows<128, bf16>, !v0
      fmha.yield %1 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    %k = fmha.stage @v_in memory {
      %before = arith.subi %t, %c1 : i32
      %slot = fmha.ring_slot %before of %v0, %v1 : !v0, !v1
      %0 = fmha.read v %slot after %vBefore : !v0 -> !kv
      %to = fmha.ring_slot %t of %k0, %k1 : !k0, !k1
      %at5 = fmha.rows k %view, %t : !view
      %1 = fmha.copy k %at5 into %to dma(#dma) : !fmha.rows<128, bf16>, !k0
      fmha.yield %1 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    fmha.yield %next, %k, %v : !fmha.token, !fmha.token, !fmha.token
  }
  fmha.stage @k_in memory {
    %slot = fmha.ring_slot %hi of %k0, %k1 : !k0, !k1
    %0 = fmha.read k %slot after %last#0 : !k0 -> !kv
    %to = fmha.ring_slot %hi of %v0, %v1 : !v0, !v1
    %at6 = fmha.rows v %view, %hi : !view
    %1 = fmha.copy v %at6 into %to dma(#dma) : !fmha.rows<128, bf16>, !v0
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stage @v_in memory {
    %before = arith.subi %hi, %c1 : i32
    %slot = fmha.ring_slot %before of %v0, %v1 : !v0, !v1
    %0 = fmha.read v %slot after %last#2 : !v0 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
}
