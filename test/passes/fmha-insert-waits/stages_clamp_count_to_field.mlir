// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits | FileCheck %s

// 40 copies of two instructions each follow the one that is waited for: 80, but vmcnt has
// six bits.
// CHECK: amdgpu.memory_counter_wait load(63)

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = causal>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64, buffers = 2>, v = <read = column, max_pad_bytes = 64, buffers = 2>,
  rescale = eager,
  pipeline = <tiles = 2, stagger = 0, instructions = free, stages = [
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
  %copied = fmha.stage @v_in memory {
    %at0 = fmha.rows k %view, %i : !view
    %1 = fmha.copy k %at0 into %k0 dma(#dma) : !fmha.rows<128, bf16>, !k0
    fmha.yield %1 : !fmha.token
  } : !fmha.token
  fmha.stage @v_in memory {
    %at1 = fmha.rows v %view, %i : !view
    %2 = fmha.copy v %at1 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at2 = fmha.rows v %view, %i : !view
    %3 = fmha.copy v %at2 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at3 = fmha.rows v %view, %i : !view
    %4 = fmha.copy v %at3 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at4 = fmha.rows v %view, %i : !view
    %5 = fmha.copy v %at4 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at5 = fmha.rows v %view, %i : !view
    %6 = fmha.copy v %at5 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at6 = fmha.rows v %view, %i : !view
    %7 = fmha.copy v %at6 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at7 = fmha.rows v %view, %i : !view
    %8 = fmha.copy v %at7 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at8 = fmha.rows v %view, %i : !view
    %9 = fmha.copy v %at8 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at9 = fmha.rows v %view, %i : !view
    %10 = fmha.copy v %at9 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at10 = fmha.rows v %view, %i : !view
    %11 = fmha.copy v %at10 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at11 = fmha.rows v %view, %i : !view
    %12 = fmha.copy v %at11 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at12 = fmha.rows v %view, %i : !view
    %13 = fmha.copy v %at12 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at13 = fmha.rows v %view, %i : !view
    %14 = fmha.copy v %at13 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at14 = fmha.rows v %view, %i : !view
    %15 = fmha.copy v %at14 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at15 = fmha.rows v %view, %i : !view
    %16 = fmha.copy v %at15 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at16 = fmha.rows v %view, %i : !view
    %17 = fmha.copy v %at16 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at17 = fmha.rows v %view, %i : !view
    %18 = fmha.copy v %at17 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at18 = fmha.rows v %view, %i : !view
    %19 = fmha.copy v %at18 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at19 = fmha.rows v %view, %i : !view
    %20 = fmha.copy v %at19 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at20 = fmha.rows v %view, %i : !view
    %21 = fmha.copy v %at20 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at21 = fmha.rows v %view, %i : !view
    %22 = fmha.copy v %at21 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at22 = fmha.rows v %view, %i : !view
    %23 = fmha.copy v %at22 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at23 = fmha.rows v %view, %i : !view
    %24 = fmha.copy v %at23 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at24 = fmha.rows v %view, %i : !view
    %25 = fmha.copy v %at24 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at25 = fmha.rows v %view, %i : !view
    %26 = fmha.copy v %at25 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at26 = fmha.rows v %view, %i : !view
    %27 = fmha.copy v %at26 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at27 = fmha.rows v %view, %i : !view
    %28 = fmha.copy v %at27 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at28 = fmha.rows v %view, %i : !view
    %29 = fmha.copy v %at28 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at29 = fmha.rows v %view, %i : !view
    %30 = fmha.copy v %at29 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at30 = fmha.rows v %view, %i : !view
    %31 = fmha.copy v %at30 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at31 = fmha.rows v %view, %i : !view
    %32 = fmha.copy v %at31 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at32 = fmha.rows v %view, %i : !view
    %33 = fmha.copy v %at32 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at33 = fmha.rows v %view, %i : !view
    %34 = fmha.copy v %at33 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at34 = fmha.rows v %view, %i : !view
    %35 = fmha.copy v %at34 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at35 = fmha.rows v %view, %i : !view
    %36 = fmha.copy v %at35 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at36 = fmha.rows v %view, %i : !view
    %37 = fmha.copy v %at36 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at37 = fmha.rows v %view, %i : !view
    %38 = fmha.copy v %at37 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at38 = fmha.rows v %view, %i : !view
    %39 = fmha.copy v %at38 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    %at39 = fmha.rows v %view, %i : !view
    %40 = fmha.copy v %at39 into %v0 dma(#dma) : !fmha.rows<128, bf16>, !v0
    %at40 = fmha.rows v %view, %i : !view
    %41 = fmha.copy v %at40 into %v1 dma(#dma) : !fmha.rows<128, bf16>, !v1
    fmha.yield
  }
  rocdl.s.barrier
  fmha.stage @k_in memory {
    %42 = fmha.read k %k0 after %copied : !k0 -> !kv
    fmha.yield
  }
  rocdl.s.barrier
}
