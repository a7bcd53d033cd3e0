// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The floating-point mode: s_getreg reads MODE, whose start value is the descriptor's;
// s_setreg changes the denormals of what follows. Rounding: mode_round.s.
// Source: LLVM AMDGPUUsage (FLOAT_ROUND_MODE_32 0 nearest even, 1 +infinity, 2 -infinity,
// 3 zero; FLOAT_DENORM_MODE; MODE bits: round 3:0, denorm 7:4, DX10_CLAMP 8, IEEE 9);
// CDNA4 ISA pseudocode S_GETREG_B32, S_SETREG_B32, S_SETREG_IMM32_B32.

//| inputs(t=[1, 0x80000003, 0x007fffff, 0x3f800000])
.set DENORM32, 0
.include "prologue.inc"
KERNEL
  INPUT v3, 0
  LOADED
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 10)
  OUTPUT_S s20 // == 0x3c0
  v_mul_f32_e32 v10, 1.0, v3
  OUTPUT v10   // == flush32(t)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
  v_mul_f32_e32 v10, 1.0, v3
  OUTPUT v10   // == t
END_KERNEL
