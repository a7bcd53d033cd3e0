// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %emu_test %s > %t
// RUN: FileCheck %s < %t
//
// The harness itself: a write past the last expected output is a failure.

//| inputs([0])
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v1, 1
  global_store_dword v255, v1, s[6:7] offset:4
END_KERNEL
// CHECK: written past the last output
