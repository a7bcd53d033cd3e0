// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Hardware registers: STATUS bits, TRAPSTS written and cleared, HW_ID within its fields, LDS
// size, apertures, fields of MODE that have instructions of their own.
// Source: CDNA4 ISA 3.4 (STATUS), 3.5 (MODE), 3.10.1 (TRAPSTS), 3.12 (HW_ID, XCC_ID).
// Which SIMD a wave is on: assumed, only that the waves of a group differ is checked.

//| launch(block=[128, 1, 1])
.set LANES, 128
.set LDS, 2000
.include "prologue.inc"
KERNEL
  v_readfirstlane_b32 s50, v0
  s_lshr_b32 s50, s50, 6                  // which wave
  s_getreg_b32 s20, hwreg(HW_REG_STATUS, 11, 1)
  OUTPUT_S s20   // == 1
  s_getreg_b32 s20, hwreg(HW_REG_STATUS, 16, 1)
  OUTPUT_S s20   // == 1
  s_mov_b64 vcc, 0
  s_cmp_eq_u32 s0, s0
  s_getreg_b32 s20, hwreg(HW_REG_STATUS)
  s_and_b32 s20, s20, 0x621
  OUTPUT_S s20   // == 0x401
  s_mov_b64 vcc, exec
  s_mov_b64 s[22:23], exec
  s_cmp_lg_u32 s0, s0
  s_mov_b64 exec, 0
  s_getreg_b32 s20, hwreg(HW_REG_STATUS)
  s_mov_b64 exec, s[22:23]
  s_and_b32 s20, s20, 0x621
  OUTPUT_S s20   // == 0x200
  s_setprio 2
  s_getreg_b32 s20, hwreg(HW_REG_STATUS, 3, 2)
  OUTPUT_S s20   // == 2
  // TRAPSTS
  s_getreg_b32 s20, hwreg(HW_REG_TRAPSTS)
  OUTPUT_S s20   // == 0
  s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 2, 4), 13
  s_getreg_b32 s20, hwreg(HW_REG_TRAPSTS)
  OUTPUT_S s20   // == 52
  v_clrexcp
  s_getreg_b32 s20, hwreg(HW_REG_TRAPSTS)
  OUTPUT_S s20   // == 0
  // MODE: register indexing and its bit are one thing
  s_set_gpr_idx_on s0, gpr_idx(SRC2)
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 27, 1)
  s_set_gpr_idx_off
  s_getreg_b32 s21, hwreg(HW_REG_MODE, 27, 1)
  OUTPUT_S s20   // == 1
  OUTPUT_S s21   // == 0
  s_mov_b32 m0, 0x1001                    // src0, index 1
  v_mov_b32_e32 v20, 5
  v_mov_b32_e32 v21, 6
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1
  v_mov_b32_e32 v22, v20
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 0
  OUTPUT v22     // == 6
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 10)
  OUTPUT_S s20   // == 0x3c0
  s_getreg_b32 s20, hwreg(HW_REG_LDS_ALLOC, 12, 9)
  OUTPUT_S s20   // == 2
  s_getreg_b32 s20, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
  s_mov_b64 s[24:25], src_shared_base
  s_lshr_b32 s25, s25, 16
  s_sub_u32 s20, s20, s25
  OUTPUT_S s20   // == 0
  s_getreg_b32 s20, hwreg(HW_REG_SH_MEM_BASES, 0, 16)
  s_mov_b64 s[24:25], src_private_base
  s_lshr_b32 s25, s25, 16
  s_sub_u32 s20, s20, s25
  OUTPUT_S s20   // == 0
  s_getreg_b32 s20, hwreg(HW_REG_XCC_ID, 4, 28)
  OUTPUT_S s20   // == 0
  s_getreg_b32 s20, hwreg(HW_REG_HW_ID, 4, 2)  // SIMD
  s_sub_u32 s20, s20, s50
  OUTPUT_S s20   // == 0
END_KERNEL
