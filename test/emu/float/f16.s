// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// f16 and packed f16: add, mul, fma, op_sel and neg on halves; packed 16-bit integers.
// Source: CDNA4 ISA pseudocode V_ADD_F16 .., V_PK_*_F16, V_PK_*_U16, V_PACK_B32_F16. What a
// 16-bit result leaves in the upper half is not compared.

//| def halves(seed):
//|     return [x & 0x8fff | 0x3000 for x in random_u32(64, seed)]
//| la, ha, lb, hb, lc, hc = [halves(50 + i) for i in range(6)]
//| la[:4] = [0, 0x8000, 0x3c00, 0x7c00]
//| inputs(a=[x | y << 16 for x, y in zip(la, ha)], b=[x | y << 16 for x, y in zip(lb, hb)],
//|        c=[x | y << 16 for x, y in zip(lc, hc)])
//| def add(x, y): return fma(0x3c00, x, y)
//| def fma(x, y, z):
//|     x, y, z = f16(x), f16(y), f16(z)
//|     if is_finite(x) and is_finite(y) and is_finite(z):
//|         product = Fraction(x) * Fraction(y)
//|         psign = math.copysign(1, x) * math.copysign(1, y) < 0
//|         return encode(product + Fraction(z), "f16",
//|                       negative_zero=psign and math.copysign(1, z) < 0)
//|     return encode(x * y + z, "f16")
//| def mul(x, y): return fma(x, y, 0x8000 if (x ^ y) & 0x8000 else 0)
//| def lo(x): return x & 0xffff
//| def hi(x): return x >> 16
//| def pk(l, h): return l | h << 16
.include "prologue.inc"
.macro LOW op:vararg
  \op
  v_and_b32_e32 v10, 0xffff, v10
.endm
KERNEL
  INPUTS 1, 3, 0
  LOADED
  LOW v_add_f16_e32 v10, v1, v2
  OUTPUT v10   // == add(lo(a), lo(b))
  LOW v_sub_f16_e32 v10, v1, v2
  OUTPUT v10   // == add(lo(a), lo(b) ^ 0x8000)
  LOW v_mul_f16_e32 v10, v1, v2
  OUTPUT v10   // == mul(lo(a), lo(b))
  LOW v_fma_f16 v10, v1, v2, v3
  OUTPUT v10   // == fma(lo(a), lo(b), lo(c))
  LOW v_fma_f16 v10, v1, v2, -v3 op_sel:[1,0,1,0]
  OUTPUT v10   // == fma(hi(a), lo(b), hi(c) ^ 0x8000)
  v_pk_add_f16 v10, v1, v2
  OUTPUT v10   // == pk(add(lo(a), lo(b)), add(hi(a), hi(b)))
  v_pk_mul_f16 v10, v1, v2
  OUTPUT v10   // == pk(mul(lo(a), lo(b)), mul(hi(a), hi(b)))
  v_pk_fma_f16 v10, v1, v2, v3
  OUTPUT v10   // == pk(fma(lo(a), lo(b), lo(c)), fma(hi(a), hi(b), hi(c)))
  v_pk_fma_f16 v10, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[0,1,0] neg_lo:[0,1,0] neg_hi:[0,0,1]
  OUTPUT v10   // == pk(fma(hi(a), lo(b) ^ 0x8000, lo(c)), fma(lo(a), hi(b), lo(c) ^ 0x8000))
  v_pk_mul_f16 v10, v1, 2.0 op_sel_hi:[1,0]
  OUTPUT v10   // == pk(mul(lo(a), 0x4000), mul(hi(a), 0x4000))
  v_pk_add_u16 v10, v1, v2
  OUTPUT v10   // == pk(lo(a) + lo(b) & 0xffff, hi(a) + hi(b) & 0xffff)
  v_pk_sub_i16 v10, v1, v2 op_sel:[0,1] op_sel_hi:[1,0]
  OUTPUT v10   // == pk(lo(a) - hi(b) & 0xffff, hi(a) - lo(b) & 0xffff)
  v_pk_max_u16 v10, v1, v2
  OUTPUT v10   // == pk(max(lo(a), lo(b)), max(hi(a), hi(b)))
  v_pk_min_i16 v10, v1, v2
  OUTPUT v10   // == pk(min(sext(lo(a), 16), sext(lo(b), 16)) & 0xffff, min(sext(hi(a), 16), sext(hi(b), 16)) & 0xffff)
  v_pk_lshlrev_b16 v10, 4, v1 op_sel_hi:[0,1]
  OUTPUT v10   // == pk(lo(a) << 4 & 0xffff, hi(a) << 4 & 0xffff)
  v_pk_mul_lo_u16 v10, v1, v2
  OUTPUT v10   // == pk(lo(a) * lo(b) & 0xffff, hi(a) * hi(b) & 0xffff)
  v_pk_mad_u16 v10, v1, v2, v3
  OUTPUT v10   // == pk(lo(a) * lo(b) + lo(c) & 0xffff, hi(a) * hi(b) + hi(c) & 0xffff)
  v_pack_b32_f16 v10, v1, v2
  OUTPUT v10   // == pk(lo(a), lo(b))
  v_pack_b32_f16 v10, v1, v2 op_sel:[1,1,0]
  OUTPUT v10   // == pk(hi(a), hi(b))
END_KERNEL
