// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Masks that vector instructions write hold 0 for lanes that are off, whatever was there
// before: carries, compares, v_div_scale, v_mad_u64_u32.
// Source: CDNA4 ISA 3.9 ("VCC indicates which executing threads passed the conditional test, or
// which threads generated a carry-out from an integer add or subtract. VCC is fully written;
// there are no partial mask updates").

//| inputs(a=random_u32(64, 40), b=random_u32(64, 41))
//| MASK = 0x8000f0f0_00ff0a01
//| def on(l): return MASK >> l & 1
//| A, B = random_u32(64, 40), random_u32(64, 41)
//| def mask(f): return sum((on(l) and f(A[l], B[l])) << l for l in range(64))
//| CARRY, BORROW = mask(lambda a, b: a + b > U32), mask(lambda a, b: a < b)
//| PRODUCT = mask(lambda a, b: a * b + (1 << 64) - 1 >> 64)
.include "prologue.inc"
.macro CHECKED op:vararg
  s_mov_b64 s[24:25], -1
  s_mov_b64 exec, s[20:21]
  \op
  s_mov_b64 exec, -1
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_mov_b32_e32 v3, 0x7f000000
  v_mov_b32_e32 v4, 1.0
  s_mov_b32 s20, 0x00ff0a01
  s_mov_b32 s21, 0x8000f0f0
  CHECKED v_add_co_u32_e64 v10, s[24:25], v1, v2
  OUTPUT_S64 s24, s25  // == CARRY
  CHECKED v_sub_co_u32_e64 v10, s[24:25], v1, v2
  OUTPUT_S64 s24, s25  // == BORROW
  s_mov_b64 s[22:23], 0
  CHECKED v_addc_co_u32_e64 v10, s[24:25], v1, v2, s[22:23]
  OUTPUT_S64 s24, s25  // == CARRY
  CHECKED v_cmp_lt_u32_e64 s[24:25], v1, v2
  OUTPUT_S64 s24, s25  // == BORROW
  CHECKED v_mad_u64_u32 v[10:11], s[24:25], v1, v2, -1
  OUTPUT_S64 s24, s25  // == PRODUCT
  CHECKED v_div_scale_f32 v10, s[24:25], v3, v4, v3
  OUTPUT_S64 s24, s25  // == MASK
END_KERNEL
