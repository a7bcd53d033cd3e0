// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The two low bits of the address of a scalar load do not count. One part of it only has them
// here: whether they drop from each part or from the sum is not said.
// Source: CDNA4 ISA 8.2.1 ("All components of the address are in bytes, but the two LSBs are
// ignored and treated as if they were zero").

//| data = [0x72000000 + 5 * i for i in range(16)]
//| in_buffer(column_bytes([data]), base="0x130000000000")
//| finding("mem", "s_load_dword s20, s[4:5], s8", message=("0x130000000017", "no multiple of 4", "two low bits"), count=1)
//| finding("mem", "s_load_dwordx2 s[22:23], s[10:11], 0x8", message=("0x13000000000a", "two low bits"), count=1)
//| finding("mem", "s_buffer_load_dword s21", message=("0x130000000017", "two low bits"), count=1)
.include "prologue.inc"
KERNEL
  s_movk_i32 s8, 23
  s_or_b32 s10, s4, 2
  s_mov_b32 s11, s5
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_movk_i32 s14, 64
  s_mov_b32 s15, 0x00020000
  s_load_dword s20, s[4:5], s8
  s_load_dwordx2 s[22:23], s[10:11], 0x8
  s_buffer_load_dword s21, s[12:15], s8
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s20 // == data[5]
  OUTPUT_S s22 // == data[2]
  OUTPUT_S s23 // == data[3]
  OUTPUT_S s21 // == data[5]
END_KERNEL
