// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s
// RUN: sed 's/tile_m = 32/tile_m = 64/; s/waves = 1,/waves = 2,/; s/pipeline = </pipeline = <stagger = 1, /' %s | %fmhac-opt -fmha-memory-to-rocdl | FileCheck %s --check-prefix=HELD

// The one factor of a tile: a scalar load of that of its page and head, at an address of 64 bits; of a
// sequence without keys that of page 0. Where wave groups alternate it stays where it is.
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
// CHECK: %[[N:.*]] = arith.select %[[SOME]], %[[PAGE:.*]], %{{.*}} : i32
// CHECK: fmha.arg k_scale_block_stride : i64
// CHECK: fmha.arg k_scale : i64
// CHECK: fmha.arg k_scale_head_stride : i64
// CHECK: %[[N64:.*]] = arith.extui %[[N]] : i32 to i64
// CHECK: %[[AT:.*]] = arith.muli %[[N64]], %{{.*}} : i64
// CHECK: %[[ADDRESS:.*]] = arith.addi %{{.*}}, %[[AT]] : i64
// CHECK: %[[P:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<4>
// CHECK: llvm.load %[[P]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> f32
// CHECK-NOT: amdgpu.sched_barrier
// HELD: llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr<4> -> f32
// HELD-NEXT: amdgpu.sched_barrier allow = <none>

#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lengths_kv = true, pages = table, page_size = 192, k_scale = block, v_scale = block>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32, %page: i32):
  %view = fmha.view k_scale : !fmha.view<1, f32>
  %f = fmha.tile_factor k %view, %t at %page : !fmha.view<1, f32>
  %0 = arith.bitcast %f : f32 to i32
}
