// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The twin of load_past_end: every width up to the last byte is clean.

//| in_buffer(bytes(range(256)), base="0x130000000000")
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v9, 0
  global_load_ubyte v1, v9, s[4:5] offset:255
  global_load_ushort v2, v9, s[4:5] offset:254
  global_load_dword v3, v9, s[4:5] offset:252
  global_load_dwordx2 v[4:5], v9, s[4:5] offset:248
  global_load_dwordx4 v[10:13], v9, s[4:5] offset:240
  s_load_dwordx4 s[8:11], s[4:5], 0xf0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v1    // == 255
  OUTPUT v2    // == 0xfffe
  OUTPUT v3    // == 0xfffefdfc
  OUTPUT v5    // == 0xfffefdfc
  OUTPUT v13   // == 0xfffefdfc
  OUTPUT_S s11 // == 0xfffefdfc
END_KERNEL
