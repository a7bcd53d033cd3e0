// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scaled conversions between f32 and fp8; the scale is the exponent of a float: the value
// is divided by it on the way down and multiplied on the way up.
// Source: CDNA4 ISA pseudocode V_CVT_SCALEF32_PK_FP8_F32 ("other destination bits are
// preserved"), V_CVT_SCALEF32_PK_F32_FP8; OCP MX: value = element * scale.

//| inputs(x=random_f32(64, 94, -6, 5), y=random_f32(64, 95, -6, 5), e=[b32(2.0 ** (i % 5 - 2) * 1.25) for i in range(64)])
//| def down(x, e): return encode(Fraction(f32(x)) / Fraction(2) ** ((e >> 23) - 127), "fp8", negative_zero=x >> 31)
//| def up(byte, e): return b32(decode(byte, "fp8") * 2.0 ** ((e >> 23) - 127))
.include "prologue.inc"
KERNEL
  INPUTS 7, 3, 0
  LOADED
  v_mov_b32_e32 v10, 0x55aa55aa
  v_cvt_scalef32_pk_fp8_f32 v10, v7, v8, v9
  OUTPUT v10   // == 0x55aa0000 | down(x, e) | down(y, e) << 8
  v_cvt_scalef32_pk_fp8_f32 v10, v8, v7, v9 op_sel:[0,0,0,1]
  OUTPUT v10   // == down(x, e) | down(y, e) << 8 | down(y, e) << 16 | down(x, e) << 24
  v_cvt_scalef32_pk_f32_fp8 v[12:13], v10, v9
  OUTPUT v12   // == up(down(x, e), e)
  OUTPUT v13   // == up(down(y, e), e)
  v_cvt_scalef32_pk_f32_fp8 v[12:13], v10, v9 op_sel:[1,0,0]
  OUTPUT v12   // == up(down(y, e), e)
  OUTPUT v13   // == up(down(x, e), e)
END_KERNEL
