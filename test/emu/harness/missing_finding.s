// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %emu_test %s > %t
// RUN: FileCheck %s < %t
//
// The harness itself: a finding that does not come is a failure.

//| finding("wait", "v_mov_b32", "global_load_dword")
//| inputs([0])
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_mov_b32_e32 v2, v1
END_KERNEL
// CHECK: exit code: expected 1, found 0
// CHECK: no finding: check 'wait', instruction 'v_mov_b32', other 'global_load_dword'
