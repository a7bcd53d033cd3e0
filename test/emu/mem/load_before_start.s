// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Below a buffer is outside as well.

//| in_buffer(bytes(256), base="0x120000010000")
//| finding("mem", "global_load_dword", message=("12000000fffc", "probe_in"), count=1)
.include "prologue.inc"
KERNEL
  global_load_dword v1, v255, s[4:5] offset:-4
  LOADED
END_KERNEL
