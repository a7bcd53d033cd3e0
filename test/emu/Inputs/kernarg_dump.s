// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lane l copies dword l of the kernel arguments to dword l of the output, whose address
// is at byte 8 of them.
.include "prologue.inc"
ENTRY
  v_lshlrev_b32_e32 v255, 2, v0
  s_load_dwordx2 s[6:7], s[0:1], 0x8
  global_load_dword v1, v255, s[0:1]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v1
END_KERNEL
