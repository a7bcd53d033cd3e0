// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Accesses that begin in one buffer and end in the next, which lies directly after it: a
// finding, and each dword is that of its own buffer. A descriptor whose base lies before
// the buffer reaches what is inside it.
// Source: the contract of the emulator (runtime/emu/ERRATA.md, memory outside buffers).

//| inputs([0])
//| low = bytes(65528) + bytes([1, 0, 0, 0, 2, 0, 0, 0])
//| high = bytes([3, 0, 0, 0, 4, 0, 0, 0]) + bytes(56)
//| buffer("low", data=low, base="0x140000000000")
//| buffer("high", data=high, base="0x140000010000", out=True)
//| expect_buffer("high", high[:16] + bytes([7, 0, 0, 0]) + high[20:])
//| finding("mem", "global_load_dwordx4")
//| finding("mem", "buffer_load_dwordx4")
.include "prologue.inc"
KERNEL
  s_mov_b32 s20, 0xfff8
  s_movk_i32 s21, 0x1400
  v_mov_b32_e32 v1, 0
  global_load_dwordx4 v[4:7], v1, s[20:21]
  s_mov_b32 s22, 0x20000
  s_mov_b32 s23, 0x00020000
  buffer_load_dwordx4 v[8:11], off, s[20:23], 0
  s_mov_b32 s20, 0xffe0
  v_mov_b32_e32 v2, 48
  v_mov_b32_e32 v3, 7
  buffer_load_dword v12, off, s[20:23], 0 offset:32
  buffer_store_dword v3, v2, s[20:23], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v4    // == 1
  OUTPUT v5    // == 2
  OUTPUT v6    // == 3
  OUTPUT v7    // == 4
  OUTPUT v8    // == 1
  OUTPUT v9    // == 2
  OUTPUT v10   // == 3
  OUTPUT v11   // == 4
  OUTPUT v12   // == 3
END_KERNEL
