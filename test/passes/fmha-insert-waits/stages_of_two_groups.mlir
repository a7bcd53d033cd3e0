// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits | FileCheck %s

// Two groups of waves, one barrier apart, two buffers each. Copies complete in order, two
// instructions each: K of tile t + 2 and V of tile t are issued in turn, once a memory
// stage. What is copied in one memory stage is certified two memory stages later,
// with the two copies in flight that were issued since, and read in the one after, a
// barrier of everybody in between. In the loop that is vmcnt(4), at the end of memory
// stages only, and reads are delivered there. A compute stage has no wait.
// CHECK: fmha.stage @v_in memory
// CHECK: fmha.copy k
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// K of tile 0 has to be there when the first stage reads; that of tile 1 need not.
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: fmha.copy k
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(2)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stagger second
// CHECK-NEXT: fmha.stage @k_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @scores
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// K of tile 1, with V of tile 0 and K of tile 2 in flight.
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @output
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.kv_loop
// CHECK: fmha.stage @k_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @scores
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @output
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.stage @k_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @scores
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @output
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.yield
// CHECK-NEXT: }
// After it no more K: V of the tile before, with K and V in flight that were issued since.
// CHECK-NEXT: fmha.stage @k_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(4) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @scores
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// Nothing is read that nobody waited for by now, but for V of the last tile, which this
// memory stage is the last before: everything has to land.
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(0) ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @output
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.stage @v_in memory
// CHECK: fmha.read v
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NOT: fmha.wait

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 1, instructions = free, stages = [
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
^bb0(%view: !view, %i: i32, %hi: i32):
  %k0 = fmha.lds_buffer k : !k0
  %k1 = fmha.lds_buffer k : !k1
  %v0 = fmha.lds_buffer v : !v0
  %v1 = fmha.lds_buffer v : !v1
  %ready0 = fmha.stage @v_in memory {
    %at0 = fmha.rows k %view, %i : !view
    %1 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  %ready1 = fmha.stage @v_in memory {
    %at1 = fmha.rows k %view, %i : !view
    %2 = fmha.copy k %at1 into %k1 dma(#dma) : !fmha.rows<128, bf16>, !k1
    fmha.yield %2 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stagger second barriers 1
  %vFirst = fmha.stage @k_in memory {
    %3 = fmha.read k %k0 after %ready0 : !k0 -> !kv
    %at2 = fmha.rows v %view, %i : !view
    %4 = fmha.copy v %at2 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    fmha.yield %4 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @scores compute {
    fmha.yield
  }
  rocdl.s.barrier
  %kThird = fmha.stage @v_in memory {
    %at3 = fmha.rows k %view, %i : !view
    %5 = fmha.copy k %at3 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %5 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @output compute {
    fmha.yield
  }
  rocdl.s.barrier
  %last:3 = fmha.kv_loop %t = %i to %hi
      iter_args(%k1Ready = %ready1, %k0Ready = %kThird, %v0Ready = %vFirst)
      -> (!fmha.token, !fmha.token, !fmha.token) step 2 {
    %v1Ready = fmha.stage @k_in memory {
      %6 = fmha.read k %k1 after %k1Ready : !k1 -> !kv
      %at4 = fmha.rows v %view, %t : !view
      %7 = fmha.copy v %at4 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
      fmha.yield %7 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    fmha.stage @scores compute {
      fmha.yield
    }
    rocdl.s.barrier
    %k1Next = fmha.stage @v_in memory {
      %8 = fmha.read v %v0 after %v0Ready : !v0 -> !kv
      %at5 = fmha.rows k %view, %t : !view
      %9 = fmha.copy k %at5 into %k1 dma(#dma) : !fmha.rows<128, bf16>, !k1
      fmha.yield %9 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    fmha.stage @output compute {
      fmha.yield
    }
    rocdl.s.barrier
    %v0Next = fmha.stage @k_in memory {
      %10 = fmha.read k %k0 after %k0Ready : !k0 -> !kv
      %at6 = fmha.rows v %view, %t : !view
      %11 = fmha.copy v %at6 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
      fmha.yield %11 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    fmha.stage @scores compute {
      fmha.yield
    }
    rocdl.s.barrier
    %k0Next = fmha.stage @v_in memory {
      %12 = fmha.read v %v1 after %v1Ready : !v1 -> !kv
      %at7 = fmha.rows k %view, %t : !view
      %13 = fmha.copy k %at7 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
      fmha.yield %13 : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    fmha.stage @output compute {
      fmha.yield
    }
    rocdl.s.barrier
    fmha.yield %k1Next, %k0Next, %v0Next : !fmha.token, !fmha.token, !fmha.token
  }
  %vLast = fmha.stage @k_in memory {
    %14 = fmha.read k %k1 after %last#0 : !k1 -> !kv
    %at8 = fmha.rows v %view, %i : !view
    %15 = fmha.copy v %at8 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    fmha.yield %15 : !fmha.token
  } : !fmha.token
  rocdl.s.barrier
  fmha.stage @scores compute {
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stage @v_in memory {
    %16 = fmha.read v %v0 after %last#2 : !v0 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stage @output compute {
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stage @v_in memory {
    %17 = fmha.read v %v1 after %vLast : !v1 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stage @output compute {
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stagger first barriers 1
}
