// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// An atomic of two dwords has them in elements apart from each other: no document says what becomes
// of it; refused.
//| error(4, "accesses 8 bytes as a whole through a descriptor with swizzling", "elements of 4 bytes", "buffer_atomic_add_x2")
.include "prologue.inc"
KERNEL
  s_mov_b32 s12, s4
  s_or_b32 s13, s5, 0x80000000|(8<<16)
  s_mov_b32 s14, 8
  s_mov_b32 s15, 1<<23
  buffer_atomic_add_x2 v[2:3], off, s[12:15], 0
END_KERNEL
