// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The division sequences where the quotient is denormal: v_div_fmas multiplies, adds and
// scales with one rounding, else a quotient near the middle of two denormals goes wrong.
// Source: LLVM SIISelLowering.cpp LowerFDIV32 / LowerFDIV64 (the sequence gives a correctly
// rounded result), OpenCL C 3.0 table 39 (f64 division is correctly rounded); the values
// are quotients of rationals.

//| def significand(s, bits): return s(bits - 1) | 1 << (bits - 1)
//| # num / den in [1/2, 1], scaled so that `kept` bits of it stay above the denormal step
//| # 2^least. In half of the lanes it lies next to the middle of two denormals.
//| def operands(seed, bits, least):
//|     s, pairs = rng(seed), []
//|     for lane in range(64):
//|         kept, den = bits - 1 - s(4), significand(s, bits)
//|         middle = significand(s, kept + 1) | 1
//|         num = significand(s, bits) if lane % 2 else (middle * den >> kept + 1) + lane // 2 % 2
//|         scale = Fraction(2) ** (least + kept)
//|         pairs.append((num * scale * 2 ** 60, Fraction(den) * 2 ** 60))
//|     return pairs
//| single = operands(81, 24, -149)
//| double = operands(82, 53, -1074)
//| def exact64(v): return b64(float(v))         # Fraction to double: nearest even
//| A, B = [exact64(x) for x, y in double], [exact64(y) for x, y in double]
//| inputs(al=[a & U32 for a in A], ah=[a >> 32 for a in A], bl=[b & U32 for b in B],
//|        bh=[b >> 32 for b in B])
//| inputs(x=[b32(x) for x, y in single], y=[b32(y) for x, y in single])
.set DENORM32, 3
.include "prologue.inc"
.include "division.inc"
KERNEL
  INPUTS 2, 6, 0
  LOADED
  DIVIDE_F32
  OUTPUT v10   // == b32(Fraction(f32(x)) / Fraction(f32(y)))

  DIVIDE_F64
  OUTPUT64 v20, v21   // == exact64(Fraction(f64(A[lane])) / Fraction(f64(B[lane])))
END_KERNEL
