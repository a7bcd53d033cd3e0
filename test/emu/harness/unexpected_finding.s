// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %emu_test %s > %t
// RUN: FileCheck %s < %t
//
// The harness itself: a finding nobody expects is a failure.

//| inputs([0])
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  v_mov_b32_e32 v2, v1
  LOADED
END_KERNEL
// CHECK: exit code: expected 0, found 1
// CHECK: unexpected finding: {{.*}}"check": "wait"
