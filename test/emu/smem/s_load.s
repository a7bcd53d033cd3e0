// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar loads of 1, 2, 4, 8, 16 dwords: immediate, SGPR and both as offset; negative
// immediates; s_buffer_load with its bound.
// Source: CDNA4 ISA pseudocode S_LOAD_*, S_BUFFER_LOAD_* (tinygrad/tinygrad:
// tinygrad/runtime/autogen/amd/cdna/str_pcode.py); address = base + offset, CDNA3 ISA
// "Scalar memory: addressing" (the two low bits of the address: low_bits.s).

//| data = [0x71000000 + 3 * i for i in range(64)]
//| in_buffer(column_bytes([data]))
//| matrix()
.include "prologue.inc"
KERNEL
  s_movk_i32 s8, 64
  s_add_u32 s10, s4, 128
  s_addc_u32 s11, s5, 0
  s_load_dword s12, s[4:5], 0x4
  s_load_dword s13, s[4:5], s8
  s_load_dword s14, s[4:5], s8 offset:0x8
  s_load_dword s15, s[10:11], -0x8
  s_load_dwordx2 s[16:17], s[4:5], 0x14
  s_load_dwordx4 s[20:23], s[4:5], 0x18
  s_load_dwordx8 s[24:31], s[4:5], 0x24
  s_load_dwordx16 s[36:51], s[4:5], 0x40
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s12  // == data[1]
  OUTPUT_S s13  // == data[16]
  OUTPUT_S s14  // == data[18]
  OUTPUT_S s15  // == data[30]
  OUTPUT_S s16  // == data[5]
  OUTPUT_S s17  // == data[6]
  OUTPUT_S s20  // == data[6]
  OUTPUT_S s23  // == data[9]
  OUTPUT_S s24  // == data[9]
  OUTPUT_S s27  // == data[12]
  OUTPUT_S s31  // == data[16]
  OUTPUT_S s36  // == data[16]
  OUTPUT_S s44  // == data[24]
  OUTPUT_S s51  // == data[31]
  // the base may be overwritten by its own result
  s_mov_b64 s[54:55], s[4:5]
  s_load_dwordx2 s[54:55], s[54:55], 0x0
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s54  // == data[0]
  OUTPUT_S s55  // == data[1]
  // a buffer: base, num_records in bytes
  s_mov_b32 s60, s4
  s_and_b32 s61, s5, 0xffff
  s_movk_i32 s62, 128
  s_mov_b32 s63, 0x00020000
  s_buffer_load_dword s64, s[60:63], 0x10
  s_buffer_load_dwordx4 s[68:71], s[60:63], 0x20
  s_buffer_load_dwordx2 s[72:73], s[60:63], s8
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s64  // == data[4]
  OUTPUT_S s68  // == data[8]
  OUTPUT_S s71  // == data[11]
  OUTPUT_S s72  // == data[16]
  OUTPUT_S s73  // == data[17]
END_KERNEL
