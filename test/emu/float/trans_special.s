// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The functional examples of v_exp, v_log, v_rcp, v_rsq, v_sqrt, v_sin and v_cos, f32 and
// f16, bit for bit: NaNs that an operation makes are negative, sin(-0) is -0, cos(1/4) is 0,
// sine and cosine of the largest numbers are those of whole turns.
// Source: CDNA4 ISA 12.8, V_EXP_F32 to V_COS_F16, "Functional examples".

//| exp32 = {0xff800000: 0, 0x80000000: 0x3f800000, 0x7f800000: 0x7f800000}
//| log32 = {0xff800000: 0xffc00000, 0xbf800000: 0xffc00000, 0x80000000: 0xff800000, 0: 0xff800000, 0x3f800000: 0, 0x7f800000: 0x7f800000}
//| rcp32 = {0xff800000: 0x80000000, 0xc0000000: 0xbf000000, 0x80000000: 0xff800000, 0: 0x7f800000, 0x7f800000: 0}
//| rsq32 = {0xff800000: 0xffc00000, 0x80000000: 0xff800000, 0: 0x7f800000, 0x40800000: 0x3f000000, 0x7f800000: 0}
//| sqrt32 = {0xff800000: 0xffc00000, 0x80000000: 0x80000000, 0: 0, 0x40800000: 0x40000000, 0x7f800000: 0x7f800000}
//| sin32 = {0xff800000: 0xffc00000, 0xff7fffff: 0, 0x80000000: 0x80000000, 0x3e800000: 0x3f800000, 0x7f800000: 0xffc00000}
//| cos32 = {0xff800000: 0xffc00000, 0xff7fffff: 0x3f800000, 0x80000000: 0x3f800000, 0x3e800000: 0, 0x7f800000: 0xffc00000}
//| rcp16 = {0xfc00: 0x8000, 0xc000: 0xb800, 0x8000: 0xfc00, 0: 0x7c00, 0x7c00: 0}
//| sqrt16 = {0xfc00: 0xfe00, 0x8000: 0x8000, 0: 0, 0x4400: 0x4000, 0x7c00: 0x7c00}
//| rsq16 = {0xfc00: 0xfe00, 0x8000: 0xfc00, 0: 0x7c00, 0x4400: 0x3800, 0x7c00: 0}
//| log16 = {0xfc00: 0xfe00, 0xbc00: 0xfe00, 0x8000: 0xfc00, 0: 0xfc00, 0x3c00: 0, 0x7c00: 0x7c00}
//| exp16 = {0xfc00: 0, 0x8000: 0x3c00, 0x7c00: 0x7c00}
//| sin16 = {0xfc00: 0xfe00, 0xfbff: 0, 0x8000: 0x8000, 0x3400: 0x3c00, 0x7bff: 0, 0x7c00: 0xfe00}
//| cos16 = {0xfc00: 0xfe00, 0xfbff: 0x3c00, 0x8000: 0x3c00, 0x3400: 0, 0x7bff: 0x3c00, 0x7c00: 0xfe00}
//| single = sorted(set().union(exp32, log32, rcp32, rsq32, sqrt32, sin32, cos32))
//| half = sorted(set().union(rcp16, sqrt16, rsq16, log16, exp16, sin16, cos16))
//| inputs(a=single, h=half)
.include "prologue.inc"
.macro HALF op, reg
  \op v10, \reg
  v_and_b32_e32 v10, 0xffff, v10
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_exp_f32_e32 v10, v1
  OUTPUT v10   // == exp32.get(a)
  v_log_f32_e32 v10, v1
  OUTPUT v10   // == log32.get(a)
  v_rcp_f32_e32 v10, v1
  OUTPUT v10   // == rcp32.get(a)
  v_rsq_f32_e32 v10, v1
  OUTPUT v10   // == rsq32.get(a)
  v_sqrt_f32_e32 v10, v1
  OUTPUT v10   // == sqrt32.get(a)
  v_sin_f32_e32 v10, v1
  OUTPUT v10   // == sin32.get(a)
  v_cos_f32_e32 v10, v1
  OUTPUT v10   // == cos32.get(a)
  HALF v_rcp_f16_e32, v2
  OUTPUT v10   // == rcp16.get(h)
  HALF v_sqrt_f16_e32, v2
  OUTPUT v10   // == sqrt16.get(h)
  HALF v_rsq_f16_e32, v2
  OUTPUT v10   // == rsq16.get(h)
  HALF v_log_f16_e32, v2
  OUTPUT v10   // == log16.get(h)
  HALF v_exp_f16_e32, v2
  OUTPUT v10   // == exp16.get(h)
  HALF v_sin_f16_e32, v2
  OUTPUT v10   // == sin16.get(h)
  HALF v_cos_f16_e32, v2
  OUTPUT v10   // == cos16.get(h)
END_KERNEL
