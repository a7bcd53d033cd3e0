// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Carries: v_add_co, v_addc_co, v_sub_co, v_subb_co, v_subrev_co, v_subbrev_co through VCC
// and through an SGPR pair; lanes off keep their register.
// Source: CDNA4 ISA pseudocode V_ADD_CO_U32 .. V_SUBBREV_CO_U32.

//| a, b = pairs_u32(64, 4)
//| c, d = pairs_u32(64, 5)
//| inputs(a=a, b=b, c=c, d=d)
.include "prologue.inc"
KERNEL
  INPUTS 1, 4, 0
  LOADED
  v_add_co_u32_e32 v10, vcc, v1, v3
  v_addc_co_u32_e32 v11, vcc, v2, v4, vcc
  v_cndmask_b32_e64 v12, 0, 1, vcc
  OUTPUT64 v10, v11   // == ((a | b << 32) + (c | d << 32)) & U64
  OUTPUT v12   // == ((a | b << 32) + (c | d << 32)) >> 64
  v_sub_co_u32_e32 v10, vcc, v1, v3
  v_subb_co_u32_e32 v11, vcc, v2, v4, vcc
  v_cndmask_b32_e64 v12, 0, 1, vcc
  OUTPUT64 v10, v11   // == ((a | b << 32) - (c | d << 32)) & U64
  OUTPUT v12   // == (a | b << 32) < (c | d << 32)
  v_subrev_co_u32_e32 v10, vcc, v1, v3
  v_subbrev_co_u32_e32 v11, vcc, v2, v4, vcc
  OUTPUT64 v10, v11   // == ((c | d << 32) - (a | b << 32)) & U64
  v_add_co_u32_e64 v10, s[20:21], v1, v3
  v_addc_co_u32_e64 v11, s[22:23], v2, v4, s[20:21]
  v_cndmask_b32_e64 v12, 0, 1, s[22:23]
  OUTPUT64 v10, v11   // == ((a | b << 32) + (c | d << 32)) & U64
  OUTPUT v12   // == ((a | b << 32) + (c | d << 32)) >> 64
  // carry in and out of one instruction over the same pair
  v_addc_co_u32_e64 v11, s[20:21], -1, 0, s[20:21]
  v_cndmask_b32_e64 v12, 0, 1, s[20:21]
  OUTPUT v11   // == 0xffffffff + (a + c >> 32)
  OUTPUT v12   // == a + c >> 32
  // lanes off
  v_mov_b32_e32 v10, 7
  s_mov_b64 vcc, -1
  s_mov_b64 exec, 0xff
  v_add_co_u32_e32 v10, vcc, -1, v10
  s_mov_b64 exec, -1
  s_nop 4
  OUTPUT v10   // == 6 if lane < 8 else 7
  v_cndmask_b32_e64 v12, 0, 1, vcc
  OUTPUT v12   // == 1 if lane < 8 else None
END_KERNEL
