// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Loads direct to LDS: bits 17:0 of M0 count, of them 17:2 in global loads; three dwords a
// lane lie 16 bytes apart and leave the fourth alone, as does the wait checker.
// Source: CDNA4 ISA 3.7 (18 bits), 9.1.9 ("LDS_offset = 18-bit unsigned byte offset from
// M0[17:0]"; "For loads to LDS with data-size of 3 or 4 dwords, the equation is modified to be
// TIDinWave * 16. Note that LOAD_DWORDX3 writes 3 dwords and skips the 4th"), 10.3 ("M0[17:2] *
// 4").

//| data = [0x32000000 + 4 * i for i in range(256)]
//| in_buffer(column_bytes([data]))
//| matrix()
//| finding("mem", "global_load_lds_dwordx3", message=("M0 = 0x5c0403", "no multiple of 4"), count=1)
.set LDS, 163840
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 1024
  s_mov_b32 s11, 0x00020000
  v_mul_u32_u24_e32 v1, 12, v0
  v_lshlrev_b32_e32 v2, 4, v0
  v_mov_b32_e32 v3, 0x77
  v_add_u32_e32 v4, 0x20000, v2
  ds_write_b32 v2, v3 offset:1036
  ds_write_b32 v4, v3 offset:1036
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0xffe20400          // 0x20400 and bits that do not count
  s_nop 0
  buffer_load_dwordx3 v1, s[8:11], 0 offen lds
  s_mov_b32 m0, 0x5c0403            // 0x400
  s_nop 0
  global_load_lds_dwordx3 v1, s[4:5]
  ds_read_b32 v12, v2 offset:1036   // between the lanes' data
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_read_b96 v[8:10], v2 offset:1024
  ds_read_b96 v[14:16], v4 offset:1024
  s_waitcnt lgkmcnt(0)
  OUTPUT v12   // == 0x77
  OUTPUT v8    // == data[3 * lane + 0]
  OUTPUT v9    // == data[3 * lane + 1]
  OUTPUT v10   // == data[3 * lane + 2]
  OUTPUT v14   // == data[3 * lane + 0]
  OUTPUT v15   // == data[3 * lane + 1]
  OUTPUT v16   // == data[3 * lane + 2]
END_KERNEL
