// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cvt_pk_bf16_f32, v_cvt_pk_f16_f32: round to nearest even, ties, infinities, NaN,
// overflow; the first source goes to the low half.
// Source: CDNA4 ISA pseudocode V_CVT_PK_BF16_F32, V_CVT_PK_F16_F32 (rounding mode is
// nearest even whatever MODE says). Denormal sources: test/emu/ASSUMED.md.

//| ties = [0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff, 0xbf808000, 0xbf818000,
//|         0x3f7fffff, 0x7f7fffff, 0x7f7f7fff, 0x7f7f8000, 0x7f800000, 0xff800000, 0,
//|         0x80000000, 0x40490fdb, 0x3f801000, 0x3f803000, 0x3f801001, 0x477fefff,
//|         0x477ff000, 0x477fe000, 0xc77ff000, 0x38800000, 0x387fc000, 0x33000000,
//|         0x33000001, 0x33800000, 0x33c00000, 0x47800000, 0xff7fffff]
//| a = ties + random_f32(34, 31, -20, 20)
//| b = random_f32(34, 32, -14, 14) + ties
//| inputs(a=a, b=b, n=[0x7fc00000, 0x7f800001, 0xffc00000, 0x7fffffff])
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_cvt_pk_bf16_f32 v10, v1, v2
  OUTPUT v10   // == bb16(f32(a)) | bb16(f32(b)) << 16
  v_cvt_pk_bf16_f32 v10, v1, 0
  OUTPUT v10   // == bb16(f32(a))
  v_cvt_pk_bf16_f32 v10, -v1, |v2|
  OUTPUT v10   // == bb16(f32(neg32(a))) | bb16(f32(abs32(b))) << 16
  v_cvt_pk_f16_f32 v10, v1, v2
  OUTPUT v10   // == b16(f32(a)) | b16(f32(b)) << 16
  // NaN stays NaN (widened again, any payload)
  v_cvt_pk_bf16_f32 v10, v3, v3
  v_lshlrev_b32_e32 v11, 16, v10
  v_and_b32_e32 v12, 0xffff0000, v10
  OUTPUT v11   // == NAN
  OUTPUT v12   // == NAN
  v_cvt_pk_f16_f32 v10, v3, v3
  v_cvt_f32_f16_e32 v11, v10
  v_lshrrev_b32_e32 v10, 16, v10
  v_cvt_f32_f16_e32 v12, v10
  OUTPUT v11   // == NAN
  OUTPUT v12   // == NAN
END_KERNEL
