// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A finding in a function that lies before the kernel's entry names a negative offset.
// Source: fmhac_emu.h, fmhac_emu_finding.pc: byte offset from the kernel's entry.

//| finding("mem", "global_load_dword v2", message="wave 0, pc -0x100, `global_load_dword")
//| no_output()
.include "prologue.inc"
.text
.p2align 8
function:
  global_load_dword v2, v[4:5], off
  s_waitcnt vmcnt(0)
  s_setpc_b64 s[30:31]
KERNEL
  v_mov_b32_e32 v4, 0
  v_mov_b32_e32 v5, 0
  s_getpc_b64 s[20:21]
after:
  s_add_u32 s20, s20, function - after
  s_addc_u32 s21, s21, -1
  s_swappc_b64 s[30:31], s[20:21]
END_KERNEL
