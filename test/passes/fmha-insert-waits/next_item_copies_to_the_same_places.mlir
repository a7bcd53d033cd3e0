// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-insert-waits -verify-diagnostics | FileCheck %s
// RUN: sed -e 's/work = list/work = queue/; s/fmha.work list/fmha.work queue/' %s > %t.mlir
// RUN: %fmhac-opt %t.mlir -fmha-insert-waits -verify-diagnostics | FileCheck %s
// RUN: sed -e 's/work = list/work = grid/; s/fmha.work list/fmha.work grid/; s/expected-remark/not/' %s > %t.mlir
// RUN: %fmhac-opt %t.mlir -fmha-insert-waits -verify-diagnostics | FileCheck %s --check-prefix=ONE

// A read waits for its copy at the end of the latest memory stage before it: of @between. The copy
// before the loop has no reader if the loop does not run, and the last one in it never has one. A
// workgroup with several items would copy the next one's tiles while those are under way, so the last stage
// waits for them, whether the loop runs (@after, where the load of the bias may stay in flight) or not
// (@before). Of a workgroup's one item nobody waits for them.
// CHECK: fmha.stage @before memory
// CHECK: fmha.copy k
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.kv_loop
// CHECK: fmha.stage @between memory
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.stage @use compute
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK: fmha.stage @after memory
// CHECK: fmha.copy k
// CHECK: fmha.add_bias
// CHECK: }
// CHECK-NEXT: amdgpu.memory_counter_wait load(16)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NOT: amdgpu.memory_counter_wait

// ONE: fmha.stage @before memory
// ONE: }
// ONE-NEXT: rocdl.s.barrier
// ONE: fmha.stage @between memory
// ONE: }
// ONE-NEXT: amdgpu.memory_counter_wait load(0)
// ONE: fmha.stage @after memory
// ONE: }
// ONE-NEXT: rocdl.s.barrier
// ONE-NOT: amdgpu.memory_counter_wait

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, bias = true, work = list>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [
    <@before memory [load_k]>, <@between memory [row_max]>, <@use compute [read_k, qk]>,
    <@after memory [load_k ahead 1, score_mod]>]>>
// 32 keys of 64 bytes, 2 lines of 1024, so 2 loads of the one wave.
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32],
  line_bytes = 1024, bytes = 2048, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
// A lane has 16 scores, each of which has a load of its own.
#s = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!buffer = !fmha.lds<32x32xbf16, 0, #lds>
!view = !fmha.view<32, bf16>
!bias = !fmha.view<32, f32>
!s = !fmha.tile<32x32xf32, #s>
!tile = !fmha.tile<32x32xbf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%view: !view, %biasView: !bias, %scores: !s, %lo: i32, %hi: i32):
  fmha.work list (%row, %head, %batch) {
    %k = fmha.lds_buffer k : !buffer
    // expected-remark @+1 {{the end of @before waits for what was copied last, whether it is read or not: the next work item copies to the same places}}
    %first = fmha.stage @before memory {
      %at0 = fmha.rows k %view, %lo : !view
      %token = fmha.copy k %at0 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
      fmha.yield %token : !fmha.token
    } : !fmha.token
    rocdl.s.barrier
    %last = fmha.kv_loop %t = %lo to %hi iter_args(%ready = %first) -> (!fmha.token) {
      fmha.stage @between memory {
        fmha.yield
      }
      rocdl.s.barrier
      fmha.stage @use compute {
        %tile = fmha.read k %k after %ready : !buffer -> !tile
        fmha.yield
      }
      rocdl.s.barrier
      // expected-remark @+1 {{the end of @after waits for what was copied last}}
      %next = fmha.stage @after memory {
        %at1 = fmha.rows k %view, %t : !view
        %token = fmha.copy k %at1 into %k dma(#dma) : !fmha.rows<32, bf16>, !buffer
        %sum = fmha.add_bias %scores, %biasView, %t : !s, !bias
        fmha.yield %token : !fmha.token
      } : !fmha.token
      rocdl.s.barrier
      fmha.yield %next : !fmha.token
    }
  }
}
