// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %emu_test %s > %t
// RUN: FileCheck %s < %t
//
// The harness itself: what does not assemble is a broken test, not a passed one.

.include "prologue.inc"
KERNEL
  v_no_such_instruction v1, v2
END_KERNEL
// CHECK: the test is broken
// CHECK: invalid instruction
