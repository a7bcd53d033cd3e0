// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %emu_test %s > %t
// RUN: FileCheck %s < %t
//
// The harness itself: a wrong expectation is a failure that names output, lane, expected
// and found, and the inputs of the lane.

//| inputs(a=[10 * l for l in LANE])
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_add_u32_e32 v2, 1, v1
  OUTPUT v2    // == a + 1 + (lane == 5)
// CHECK: wrong_value.s: --sched=rr --landing=default
// CHECK-NEXT: output 0 v2 (line 14: a + 1 + (lane == 5)): 1 of 64 lanes differ
// CHECK-NEXT: lane 5: expected 0x00000034 (52, {{.*}}), found 0x00000033 (51,
// CHECK-NEXT: inputs a=0x00000032
// CHECK-NOT: lane
END_KERNEL
