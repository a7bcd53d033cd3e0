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
KERNEL
  INPUTS 2, 6, 0
  LOADED
  v_div_scale_f32 v10, s[20:21], v7, v7, v6
  v_div_scale_f32 v11, vcc, v6, v7, v6
  v_rcp_f32_e32 v12, v10
  s_nop 0
  v_fma_f32 v13, -v10, v12, 1.0
  v_fmac_f32_e32 v12, v13, v12
  v_mul_f32_e32 v13, v11, v12
  v_fma_f32 v14, -v10, v13, v11
  v_fmac_f32_e32 v13, v14, v12
  v_fma_f32 v10, -v10, v13, v11
  v_div_fmas_f32 v10, v10, v12, v13
  v_div_fixup_f32 v10, v10, v7, v6
  OUTPUT v10   // == b32(Fraction(f32(x)) / Fraction(f32(y)))

  v_div_scale_f64 v[20:21], s[20:21], v[4:5], v[4:5], v[2:3]
  v_rcp_f64_e32 v[22:23], v[20:21]
  v_div_scale_f64 v[28:29], vcc, v[2:3], v[4:5], v[2:3]
  v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
  v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
  v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
  v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
  v_mul_f64 v[24:25], v[28:29], v[22:23]
  v_fma_f64 v[20:21], -v[20:21], v[24:25], v[28:29]
  v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[24:25]
  v_div_fixup_f64 v[20:21], v[20:21], v[4:5], v[2:3]
  OUTPUT64 v20, v21   // == exact64(Fraction(f64(A[lane])) / Fraction(f64(B[lane])))
END_KERNEL
