// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_mad_f16 and v_mac_f16 flush denormals on both sides where MODE keeps them; v_fma_f16 obeys
// MODE.
// Source: CDNA4 ISA 12.11, V_MAD_F16 ("denormals are flushed"), V_FMA_F16 ("denormals are
// supported"); of v_mac_f16 LLVM SIISelLowering.cpp isFMADLegal (f16 only with flushing).

//| tiny = [x & 0x83ff for x in random_u32(64, 35)]
//| small = [x & 0x8fff | 0x2000 for x in random_u32(64, 36)]
//| inputs(a=[tiny[i] if i % 3 == 0 else small[i] for i in range(64)], b=[tiny[i - 1] if i % 3 == 1 else small[i - 1] for i in range(64)])
//| inputs(c=[tiny[i - 2] if i % 3 == 2 else small[i - 2] & 0x87ff for i in range(64)])
//| def ftz16(x): return x & 0x8000 if not x & 0x7c00 else x
//| def rounded(v): return encode(v, "f16") if v else 0
//| def mad(a, b, c):
//|     p = ftz16(rounded(Fraction(f16(ftz16(a))) * Fraction(f16(ftz16(b)))))
//|     return ftz16(rounded(Fraction(f16(p)) + Fraction(f16(ftz16(c))))) & 0x7fff
//| def fma(a, b, c): return rounded(Fraction(f16(a)) * Fraction(f16(b)) + Fraction(f16(c))) & 0x7fff
.include "prologue.inc"
.macro MAGNITUDE                    // signs of zeros are not the matter here
  v_and_b32_e32 v10, 0x7fff, v10
.endm
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_mad_f16 v10, v1, v2, v3
  MAGNITUDE
  OUTPUT v10   // == mad(a, b, c)
  v_mov_b32_e32 v10, v3
  v_mac_f16_e32 v10, v1, v2
  MAGNITUDE
  OUTPUT v10   // == mad(a, b, c)
  v_fma_f16 v10, v1, v2, v3
  MAGNITUDE
  OUTPUT v10   // == fma(a, b, c)
END_KERNEL
