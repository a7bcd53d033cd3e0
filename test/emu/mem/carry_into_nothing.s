// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// An address that lost its carry may be mapped nowhere: two findings of one instruction.
// Source: as descriptors_carry.test; the contract on accesses outside the buffers.

//| options("--descriptors=carry")
//| in_buffer(column_bytes([[0x51000000 + i for i in range(128)]]), base="0x12ffffffff00")
//| finding("mem", "buffer_load_dword v10", message=("lane 1 reads", "carry out of the low 32 bits is lost", "goes to 0x12ff00000000"), count=63)
//| finding("mem", "buffer_load_dword v10", message=("lane 1 reads 4 bytes at 0x12ff00000000", "before the start of buffer \"probe_in\""), count=63)
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 512
  s_mov_b32 s11, 0x00020000
  buffer_load_dword v10, v255, s[8:11], 0 offen offset:252
  s_waitcnt vmcnt(0)
  OUTPUT v10   // == 0x51000000 + 63 if lane == 0 else 0
END_KERNEL
