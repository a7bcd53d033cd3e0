// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// s_setvskip: vector instructions (ALU, memory, LDS, matrix) are passed over, scalar ones are
// not; counters do not move; on and off by a bit of a register.
// Source: CDNA4 ISA pseudocode S_SETVSKIP, 3.5 (MODE.VSKIP); public fused-MoE kernels for
// gfx950 skip their atomics in this way.

.set LDS, 256
//| inputs(a=random_u32(64, 31))
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_mov_b32_e32 v10, 3
  ds_write_b32 v255, v1
  s_mov_b32 s20, 0x10
  s_setvskip s20, 4                 // bit 4 is set: on
  v_mov_b32_e32 v10, 4
  v_cmp_eq_u32_e32 vcc, v1, v1
  v_readfirstlane_b32 s21, v1
  ds_write_b32 v255, v10
  global_store_dword v255, v10, s[4:5]
  buffer_load_dword v10, off, s[8:11], 0
  v_mfma_f32_4x4x1_16b_f32 v[4:7], v1, v1, v[4:7]
  s_mov_b32 s22, 77
  s_getreg_b32 s23, hwreg(HW_REG_MODE, 28, 1)
  s_setvskip s20, 3                 // bit 3 is clear: off
  ds_read_b32 v11, v255
  s_waitcnt lgkmcnt(0)
  OUTPUT v10     // == 3
  OUTPUT v11     // == a
  OUTPUT_S s22   // == 77
  OUTPUT_S s23   // == 1
  s_getreg_b32 s23, hwreg(HW_REG_MODE, 28, 1)
  OUTPUT_S s23   // == 0
END_KERNEL
