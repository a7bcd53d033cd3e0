// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Swizzled buffers "require dword-aligned accesses" (CDNA4 ISA 9.1.5.2): one that would lie in two
// elements is refused. Bytes and halves within one are fine.
//| in_buffer(column_bytes([[0x03020100 + 0x04040404 * l for l in LANE]]))
//| error(4, "lane 0 accesses 4 bytes at voffset + offset 0x2 of a descriptor with swizzling", "element of 4 bytes", "aligned to dwords", "buffer_load_dword v4")
.include "prologue.inc"
KERNEL
  s_mov_b32 s12, s4
  s_or_b32 s13, s5, 0x80000000|(4<<16)
  s_mov_b32 s14, 8
  s_mov_b32 s15, (3<<21)|(1<<23)
  buffer_load_ubyte v2, off, s[12:15], 0 offset:3
  buffer_load_ushort v3, off, s[12:15], 0 offset:2
  buffer_load_dword v4, off, s[12:15], 0 offset:2
END_KERNEL
