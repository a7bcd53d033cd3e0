// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A swizzled buffer cannot be fetched in units larger than its elements (CDNA4 ISA 9.1.5.2).
//| error(4, "accesses 8 bytes at once through a descriptor with swizzling", "buffer_load_dwordx2")
.include "prologue.inc"
KERNEL
  s_mov_b32 s12, s4
  s_or_b32 s13, s5, 0x80000000|(8<<16)
  s_mov_b32 s14, 8
  s_mov_b32 s15, 0x20000
  buffer_load_dwordx2 v[2:3], v0, s[12:15], 0 idxen
END_KERNEL
