// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS atomics, with and without the old value. Lanes that hit one address are done one
// after another, in an order nobody promises: only sums and extrema are tested there.
// Source: CDNA4 ISA pseudocode DS_ADD_U32 .. DS_CMPST_RTN_B32, DS_WRXCHG_RTN_B32,
// DS_ADD_F32, DS_INC_U32, DS_DEC_U32.

//| a, b = pairs_u32(64, 14)
//| inputs(a=a, b=b)
//| matrix()
.set LDS, 4096
.include "prologue.inc"
.macro STEP op
  ds_write_b32 v255, v1
  \op v255, v2
  ds_read_b32 v10, v255
  ds_write_b32 v255, v1
  s_waitcnt lgkmcnt(0)
.endm
.macro STEP_RTN op
  ds_write_b32 v255, v1
  \op v11, v255, v2
  ds_read_b32 v10, v255
  s_waitcnt lgkmcnt(0)
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  STEP ds_add_u32
  OUTPUT v10   // == a + b
  STEP_RTN ds_add_rtn_u32
  OUTPUT v10   // == a + b
  OUTPUT v11   // == a
  STEP ds_sub_u32
  OUTPUT v10   // == a - b
  STEP_RTN ds_sub_rtn_u32
  OUTPUT v10   // == a - b
  OUTPUT v11   // == a
  STEP ds_rsub_u32
  OUTPUT v10   // == b - a
  STEP_RTN ds_rsub_rtn_u32
  OUTPUT v10   // == b - a
  OUTPUT v11   // == a
  STEP ds_min_i32
  OUTPUT v10   // == min(i32(a), i32(b))
  STEP_RTN ds_min_rtn_i32
  OUTPUT v10   // == min(i32(a), i32(b))
  OUTPUT v11   // == a
  STEP ds_max_i32
  OUTPUT v10   // == max(i32(a), i32(b))
  STEP_RTN ds_max_rtn_i32
  OUTPUT v10   // == max(i32(a), i32(b))
  OUTPUT v11   // == a
  STEP ds_min_u32
  OUTPUT v10   // == min(a, b)
  STEP_RTN ds_min_rtn_u32
  OUTPUT v10   // == min(a, b)
  OUTPUT v11   // == a
  STEP ds_max_u32
  OUTPUT v10   // == max(a, b)
  STEP_RTN ds_max_rtn_u32
  OUTPUT v10   // == max(a, b)
  OUTPUT v11   // == a
  STEP ds_and_b32
  OUTPUT v10   // == a & b
  STEP_RTN ds_and_rtn_b32
  OUTPUT v10   // == a & b
  OUTPUT v11   // == a
  STEP ds_or_b32
  OUTPUT v10   // == a | b
  STEP_RTN ds_or_rtn_b32
  OUTPUT v10   // == a | b
  OUTPUT v11   // == a
  STEP ds_xor_b32
  OUTPUT v10   // == a ^ b
  STEP_RTN ds_xor_rtn_b32
  OUTPUT v10   // == a ^ b
  OUTPUT v11   // == a
  STEP ds_inc_u32
  OUTPUT v10   // == 0 if a >= b else a + 1
  STEP_RTN ds_inc_rtn_u32
  OUTPUT v10   // == 0 if a >= b else a + 1
  OUTPUT v11   // == a
  STEP ds_dec_u32
  OUTPUT v10   // == b if a == 0 or a > b else a - 1
  STEP_RTN ds_dec_rtn_u32
  OUTPUT v10   // == b if a == 0 or a > b else a - 1
  OUTPUT v11   // == a
  STEP_RTN ds_wrxchg_rtn_b32
  OUTPUT v10   // == b
  OUTPUT v11   // == a
  // compare and store: odd lanes compare with the value there
  v_and_b32_e32 v12, 1, v0
  v_cmp_eq_u32_e32 vcc, 1, v12
  v_not_b32_e32 v13, v1
  s_nop 1
  v_cndmask_b32_e32 v12, v13, v1, vcc
  ds_write_b32 v255, v1
  ds_cmpst_rtn_b32 v11, v255, v12, v2
  ds_read_b32 v10, v255
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == b if lane & 1 else a
  OUTPUT v11   // == a
  // all lanes on one address
  v_mov_b32_e32 v14, 0
  ds_write_b32 v14, v14 offset:1024
  v_add_u32_e32 v15, 1, v0
  ds_add_u32 v14, v15 offset:1024
  ds_write_b32 v14, v14 offset:1028
  ds_max_u32 v14, v1 offset:1028
  ds_read_b32 v16, v14 offset:1024
  ds_read_b32 v17, v14 offset:1028
  // and floats: exact sums
  ds_write_b32 v14, v14 offset:1032
  v_cvt_f32_u32_e32 v18, v0
  ds_add_f32 v14, v18 offset:1032
  ds_read_b32 v18, v14 offset:1032
  s_waitcnt lgkmcnt(0)
  OUTPUT v16   // == 64 * 65 // 2
  OUTPUT v17   // == max(a for a in pairs_u32(64, 14)[0])
  OUTPUT v18   // == b32(63.0 * 32)
  // 64 bits
  v_lshlrev_b32_e32 v20, 3, v0
  v_mov_b32_e32 v28, v1
  v_mov_b32_e32 v29, v2
  ds_write_b64 v20, v[28:29] offset:2048
  v_mov_b32_e32 v22, 1
  v_mov_b32_e32 v23, 0
  ds_add_rtn_u64 v[24:25], v20, v[22:23] offset:2048
  ds_read_b64 v[26:27], v20 offset:2048
  s_waitcnt lgkmcnt(0)
  OUTPUT64 v24, v25   // == a | b << 32
  OUTPUT64 v26, v27   // == (a | b << 32) + 1 & U64
END_KERNEL
