// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Global loads direct to LDS: LDS address = M0 + instruction offset + lane * size; the
// instruction offset counts in the memory address too; covered by vmcnt.
// Source: LLVM IntrinsicsAMDGPU.td int_amdgcn_global_load_lds ("imm offset, applied to both
// global and LDS address"; size 12 and 16 from gfx950); CDNA3 ISA "Global load to LDS".

//| data = [0x31000000 + 4 * i for i in range(1024)]
//| in_buffer(column_bytes([data]))
//| matrix()
.set LDS, 8192
.include "prologue.inc"
KERNEL
  // lane l fetches 16 bytes from 16 * (63 - l) + 32
  v_sub_u32_e32 v1, 63, v0
  v_lshlrev_b32_e32 v1, 4, v1
  v_mov_b32_e32 v3, s5
  v_add_co_u32_e32 v2, vcc, s4, v1
  v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
  s_movk_i32 s20, 1024
  s_mov_b32 m0, s20
  s_nop 0
  global_load_lds_dwordx4 v[2:3], off offset:32
  s_movk_i32 s20, 4096
  s_mov_b32 m0, s20
  s_nop 0
  global_load_lds_dword v255, s[4:5] offset:16
  v_lshlrev_b32_e32 v4, 4, v0
  s_waitcnt vmcnt(0)
  ds_read_b128 v[8:11], v4 offset:1056
  ds_read_b32 v12, v255 offset:4112
  s_waitcnt lgkmcnt(0)
  OUTPUT v8    // == data[4 * (63 - lane) + 8]
  OUTPUT v11   // == data[4 * (63 - lane) + 11]
  OUTPUT v12   // == data[lane + 4]
END_KERNEL
