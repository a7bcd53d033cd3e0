// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Lanes that are off keep their registers and touch no memory, whatever the kind of
// instruction; with no lane on, vector instructions do nothing at all.
// Source: LLVM AMDGPUUsage "EXEC"; CDNA3 ISA "EXECute mask" ("determines which threads
// execute: 1 = execute, 0 = do not"). Matrix and permlane swap: test/emu/ASSUMED.md.

//| A, B = random_u32(64, 110), random_f32(64, 111, -3, 3)
//| inputs(a=A, b=B)
//| MASK = 0x8000f0f0_00ff0a01
//| def on(l): return MASK >> l & 1
//| matrix()
.set LDS, 2048
.include "prologue.inc"
.macro OLD
  v_mov_b32_e32 v10, 0x1234
  v_mov_b32_e32 v11, 0x5678
  s_nop 1
  s_mov_b64 exec, s[20:21]
.endm
.macro ALL
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0) lgkmcnt(0)
.endm
KERNEL
  INPUTS 2, 2, 0
  LOADED
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 512
  s_mov_b32 s11, 0x00020000
  s_mov_b32 s20, 0x00ff0a01
  s_mov_b32 s21, 0x8000f0f0
  v_mov_b32_e32 v20, 7
  ds_write_b32 v255, v2
  ds_write_b32 v255, v20 offset:256
  s_waitcnt lgkmcnt(0)
  OLD
  v_add_u32_e32 v10, v2, v3
  v_exp_f32_e32 v11, v3
  ALL
  OUTPUT v10   // == A[lane] + b if on(lane) else 0x1234
  OUTPUT v11   // == 2.0 ** f32(b) if on(lane) else 0x5678 ; ulp 1
  OLD
  v_pk_mul_f32 v[10:11], v[2:3], v[2:3] op_sel:[1,1]
  ALL
  OUTPUT v10   // == mul32(b, b) if on(lane) else 0x1234
  OUTPUT v11   // == mul32(b, b) if on(lane) else 0x5678
  OLD
  ds_read_b32 v10, v255
  buffer_load_dword v11, v255, s[8:11], 0 offen
  ALL
  OUTPUT v10   // == a if on(lane) else 0x1234
  OUTPUT v11   // == a if on(lane) else 0x5678
  OLD
  ds_write_b32 v255, v3 offset:256
  ALL
  ds_read_b32 v10, v255 offset:256
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == b if on(lane) else 7
  OLD
  v_cvt_pk_bf16_f32 v10, v3, v3
  v_accvgpr_write_b32 a0, v2
  v_mov_b64_e32 v[12:13], v[2:3]
  ALL
  OUTPUT v10   // == bb16(f32(b)) * 0x10001 if on(lane) else 0x1234
  OLD
  v_lshlrev_b64 v[10:11], 4, v[2:3]
  ALL
  OUTPUT64 v10, v11   // == (a | b << 32) << 4 & U64 if on(lane) else 0x567800001234
  // a store leaves the sentinel
  v_add_u32_e32 v254, OUT_COLUMN*LANES*4, v255
  s_mov_b64 exec, s[20:21]
  global_store_dword v254, v2, s[6:7]
  ALL
  .set OUT_COLUMN, OUT_COLUMN+1
//| expect("store", [A[l] if on(l) else 0xa5a5a5a5 for l in LANE])
  // nobody: an address that nobody uses is no access
  OLD
  s_mov_b64 exec, 0
  v_mov_b32_e32 v10, 9
  global_load_dword v11, v2, s[4:5]
  ds_write_b32 v2, v2
  ALL
  OUTPUT v10   // == 0x1234
  OUTPUT v11   // == 0x5678
END_KERNEL
