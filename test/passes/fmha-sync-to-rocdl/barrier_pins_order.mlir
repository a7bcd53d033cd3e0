// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// Nothing crosses the barrier: on either side an empty asm that may load, so that
// LLVM's sinking keeps LDS reads on their side, and sched_barrier with mask 0, so that
// the schedulers keep all else. A barrier orders nothing by itself and waits for
// nothing.
// CHECK-NOT: rocdl.s.waitcnt
// CHECK: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "I" %[[NOTHING]] : (i32) -> ()
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NOT: rocdl.
// CHECK-NOT: fmha.barrier
fmha.barrier
