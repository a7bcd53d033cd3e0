// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// f64 arithmetic (nearest even, denormals kept by default) and the division sequences
// v_div_scale, v_rcp, v_div_fmas, v_div_fixup that compilers emit: the quotient must be
// the correctly rounded one.
// Source: CDNA4 ISA pseudocode V_ADD_F64 .. V_FMA_F64; LLVM SIISelLowering.cpp
// LowerFDIV32 / LowerFDIV64 (the sequence gives a correctly rounded result).

//| step = rng(70)
//| def doubles(seed):
//|     s = rng(seed)
//|     return [s(1) << 63 | (1023 - 20 + s(16) % 41) << 52 | s(26) << 26 | s(26)
//|             for _ in range(64)]
//| A, B = doubles(71), doubles(72)
//| inputs(al=[x & U32 for x in A], ah=[x >> 32 for x in A], bl=[x & U32 for x in B],
//|        bh=[x >> 32 for x in B])
//| inputs(x=random_f32(64, 73, -30, 30), y=random_f32(64, 74, -30, 30))
//| def exact64(v): return b64(float(v))         # Fraction to double: nearest even
.set DENORM32, 3
.include "prologue.inc"
.include "division.inc"
KERNEL
  INPUTS 2, 6, 0
  LOADED
  v_add_f64 v[10:11], v[2:3], v[4:5]
  OUTPUT64 v10, v11   // == exact64(Fraction(f64(A[lane])) + Fraction(f64(B[lane])))
  v_mul_f64 v[10:11], v[2:3], v[4:5]
  OUTPUT64 v10, v11   // == exact64(Fraction(f64(A[lane])) * Fraction(f64(B[lane])))
  v_fma_f64 v[10:11], v[2:3], -v[4:5], 1.0
  OUTPUT64 v10, v11   // == exact64(1 - Fraction(f64(A[lane])) * Fraction(f64(B[lane])))
  v_max_f64 v[10:11], v[2:3], v[4:5]
  OUTPUT64 v10, v11   // == b64(max(f64(A[lane]), f64(B[lane])))
  v_cvt_f32_f64_e32 v10, v[2:3]
  OUTPUT v10   // == b32(f64(A[lane]))
  v_cvt_f64_f32_e32 v[10:11], v6
  OUTPUT64 v10, v11   // == b64(f32(x))
  v_cvt_f64_i32_e32 v[10:11], v3
  OUTPUT64 v10, v11   // == b64(float(i32(ah)))
  v_cmp_lt_f64_e32 vcc, v[2:3], v[4:5]
  v_cndmask_b32_e64 v10, 0, 1, vcc
  OUTPUT v10   // == f64(A[lane]) < f64(B[lane])

  // x / y in f32
  DIVIDE_F32
  OUTPUT v10   // == b32(Fraction(f32(x)) / Fraction(f32(y)))

  // a / b in f64
  DIVIDE_F64
  OUTPUT64 v20, v21   // == exact64(Fraction(f64(A[lane])) / Fraction(f64(B[lane])))
END_KERNEL
