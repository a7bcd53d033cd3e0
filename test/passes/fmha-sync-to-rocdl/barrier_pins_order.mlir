// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// Nothing is scheduled over the barrier: sched_barrier with mask 0 on either side,
// and an empty asm that claims memory before it, so that LLVM's sinking keeps LDS
// reads on their side. A barrier orders nothing by itself and waits for nothing.
// CHECK-NOT: rocdl.s.waitcnt
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NOT: fmha.barrier
fmha.barrier
