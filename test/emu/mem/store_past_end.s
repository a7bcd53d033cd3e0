// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A dword store whose last byte alone is outside is a finding, and nothing outside
// any buffer is written.

//| buffer("target", bytes=1023, fill=0, base="0x110000000000", out=True)
//| kernarg(offset=16, buffer="target")
//| finding("mem", "global_store_dword", message=("target",), count=1)
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  // dwords 192..255 of 255.75: lane 63 hangs over by one byte
  global_store_dword v1, v2, s[8:9] offset:768
END_KERNEL
