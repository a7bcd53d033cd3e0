// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// Nothing crosses the barrier: on either side an empty asm that claims memory, so that
// LLVM's sinking keeps LDS reads on their side, and sched_barrier with mask 0, so that
// the schedulers keep all else. A barrier orders nothing by itself and waits for
// nothing.
// CHECK-NOT: rocdl.s.waitcnt
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}" : () -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "~{memory}" : () -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NOT: rocdl.
// CHECK-NOT: fmha.barrier
fmha.barrier
