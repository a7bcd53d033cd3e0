// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// Nothing crosses the barrier: on either side an empty asm that may load, so that
// LLVM's sinking keeps LDS reads on their side, and sched_barrier with mask 0, so that
// the schedulers keep all else. A barrier orders nothing by itself and waits for
// nothing.
// CHECK-NOT: rocdl.s.waitcnt
// CHECK: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NOT: rocdl.
// CHECK-NOT: rocdl.s.barrier
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  rocdl.s.barrier
}
