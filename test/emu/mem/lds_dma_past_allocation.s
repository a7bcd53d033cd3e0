// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A load direct to LDS is checked like any load.

.set LDS, 2048
//| in_buffer(bytes(1024), base="0x130000000000")
//| finding("mem", "buffer_load_dwordx4", message=("130000000400", "probe_in"))
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 0x80000000
  s_mov_b32 s11, 0x00020000
  v_lshlrev_b32_e32 v1, 4, v0
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dwordx4 v1, s[8:11], 0 offen offset:16 lds
  LOADED
END_KERNEL
