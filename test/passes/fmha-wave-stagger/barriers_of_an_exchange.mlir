// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-wave-stagger | FileCheck %s --check-prefixes=CHECK,GRID
// RUN: sed -e 's/work = grid/work = list/; s/fmha.work grid/fmha.work list/' %s > %t.mlir
// RUN: %fmhac-opt %t.mlir -fmha-wave-stagger | FileCheck %s --check-prefixes=CHECK,LIST

// What is shared is gathered after a barrier; its place has the next part after another one. After the last one
// nothing comes, or the next item of a list.
// CHECK: fmha.stage @all
// CHECK: }
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.share
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.gather
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.share
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: fmha.gather
// GRID-NOT: rocdl.s.barrier
// LIST-NEXT: rocdl.s.barrier
// LIST-NOT: rocdl.s.barrier

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none, work = grid>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
!x = !fmha.exchange<5120>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  %x = fmha.lds_exchange : !x
  fmha.work grid (%row, %head, %batch) {
    %f = arith.constant 1.0 : f32
    %m = fmha.init 0.0 : !row
    %o = fmha.init 0.0 : !o
    fmha.stage @all compute {
      %k = fmha.lds_buffer k : !fmha.lds<32x32xbf16, 0, #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>>
      fmha.yield
    }
    %t0 = fmha.share %o, %m, %m part <0 to 1 of 2> into %x : !o, !row, !x
    %o0, %m0, %l0 = fmha.gather %x after %t0 by %f part <0 to 1 of 2> : !x -> !o, !row
    %t1 = fmha.share %o, %m, %m part <1 to 2 of 2> into %x : !o, !row, !x
    %o1, %m1, %l1 = fmha.gather %x after %t1 by %f part <1 to 2 of 2> onto %o0 : !o : !x -> !o, !row
  }
}
