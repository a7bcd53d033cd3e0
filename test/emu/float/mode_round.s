// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// s_setreg on MODE changes the rounding of what follows.
// Source: LLVM AMDGPUUsage (FLOAT_ROUND_MODE_32 0 nearest even, 1 +infinity, 2 -infinity,
// 3 zero; FLOAT_DENORM_MODE; MODE bits: round 3:0, denorm 7:4, DX10_CLAMP 8, IEEE 9);
// CDNA4 ISA pseudocode S_GETREG_B32, S_SETREG_B32, S_SETREG_IMM32_B32.

//| inputs(a=random_f32(64, 61, -2, 2), b=random_f32(64, 62, -12, -8))
//| def directed(a, b, mode):
//|     near = fadd(f32(a), f32(b))
//|     exact = Fraction(f32(a)) + Fraction(f32(b))
//|     have = Fraction(f32(near))
//|     def step(bits, up):                        # the next f32 up or down
//|         return bits + 1 if (bits >> 31 == 0) == up else bits - 1
//|     if have == exact or mode == 0: return near
//|     low, high = (near, step(near, True)) if have < exact else (step(near, False), near)
//|     return (None, high, low, low if exact > 0 else high)[mode]
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
  v_add_f32_e32 v10, v1, v2
  OUTPUT v10   // == directed(a, b, 1)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
  v_add_f32_e32 v10, v1, v2
  OUTPUT v10   // == directed(a, b, 2)
  s_mov_b32 s21, 3
  s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s21
  v_add_f32_e32 v10, v1, v2
  OUTPUT v10   // == directed(a, b, 3)
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 4)
  OUTPUT_S s20 // == 3
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0
  v_add_f32_e32 v10, v1, v2
  OUTPUT v10   // == directed(a, b, 0)
END_KERNEL
