// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// f16 and f64 arithmetic and conversions to f16 in all four rounding modes of FP_ROUND[3:2],
// f32's own mode being another one; sums that cancel; overflow with and without FP16_OVFL;
// v_cvt_pk_f16_f32 and v_cvt_pkrtz_f16_f32, which have a mode of their own; f64 denormals.
// Source: CDNA4 ISA 3.5 (FP_ROUND, FP_DENORM, FP16_OVFL); pseudocode V_CVT_PK_F16_F32 (nearest
// even), V_FMA_F16, V_MAD_F16 (two roundings, no denormals), IEEE 754 (6.3: sign of a sum that is zero).

//| s = rng(71)
//| H = [s(16) for _ in range(40)] + [0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x0001, 0x8001, 0x03ff, 0x3c00] * 3
//| G = [s(16) for _ in range(40)] + [0x7bff, 0xfbff, 0x3c00, 0x4000, 0x3800, 0x3800, 0x3800, 0xbc00] * 3
//| K = [s(16) for _ in range(40)] + [0x0001] * 8 + [0x8001] * 8 + [0xbc00] * 8
//| def finite(h): return h & 0x7c00 != 0x7c00
//| H, G, K = [[x if finite(x) or l >= 40 else x & 0xbfff for l, x in enumerate(c)] for c in (H, G, K)]
//| P = [x | y << 16 for x, y in zip(H, G)]
//| Q = [x | y << 16 for x, y in zip(G, K)]
//| R = [x | y << 16 for x, y in zip(K, H)]
//| X = random_f32(48, 72, -28, 18) + [b32(v) for v in (65504.0, 65519.0, 65520.0, -65520.0, 1e9, -1e9, 6e-8, -6e-8, 1e-10, -1e-10, 0.0, -0.0, math.inf, -math.inf, 1.0, 2049.0)]
//| inputs(p=P, q=Q, r=R, x=X)
//| inputs(u=[s(32) for _ in LANE], v=[s(16) << 16 | s(16) for _ in LANE])
//| def zero(parts, mode):                   # sign of a sum that is exactly zero
//|     minus = [math.copysign(1, z) < 0 for z in parts]
//|     return all(minus) if all(minus) or not any(minus) else mode == 2
//| def saturated(bits, ovfl, infinite): return bits - 1 if ovfl and not infinite and bits & 0x7fff == 0x7c00 else bits
//| def half_sum(parts, mode, ovfl):         # parts: exact terms
//|     if any(math.isnan(z) for z in parts): return None
//|     if any(isinstance(z, float) and math.isinf(z) for z in parts):
//|         signs = {math.copysign(1, z) for z in parts if isinstance(z, float) and math.isinf(z)}
//|         return None if len(signs) == 2 else encode(max(signs) * math.inf, "f16")
//|     total = sum(Fraction(z) for z in parts)
//|     return saturated(encode_directed(total, "f16", mode, zero([float(z) for z in parts], mode)), ovfl, False)
//| def product(a, b):
//|     x, y = f16(a), f16(b)
//|     if math.isinf(x) or math.isinf(y): return x * y
//|     z = Fraction(x) * Fraction(y)
//|     return z if z else math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y))
//| def add(a, b, mode, ovfl=False): return half_sum([f16(a), f16(b)], mode, ovfl)
//| def mul(a, b, mode, ovfl=False):
//|     z = product(a, b)
//|     if isinstance(z, float): return None if math.isnan(z) else encode(z, "f16")
//|     return saturated(encode_directed(z, "f16", mode), ovfl, False)
//| def fma(a, b, c, mode, ovfl=False):
//|     z = product(a, b)
//|     return half_sum([z, f16(c)], mode, ovfl)
//| def flushed(h): return h if h is None or h & 0x7c00 else h & 0x8000
//| def mad(a, b, c, mode, ovfl=False):      # denormals are zeros on both sides
//|     a, b, c = flushed(a), flushed(b), flushed(c)
//|     z = flushed(mul(a, b, mode, ovfl))
//|     return None if z is None else flushed(add(z, c, mode, ovfl))
//| def both(f, *args): 
//|     lo, hi = [f(*[a >> k & 0xffff if i < len(args) - 1 else a for i, a in enumerate(args)]) for k in (0, 16)]
//|     return None if lo is None or hi is None else lo | hi << 16
//| def cvt(x, mode, ovfl=False):
//|     z = f32(x)
//|     return encode(z, "f16") if math.isinf(z) else saturated(encode_directed(Fraction(z), "f16", mode, x >> 31), ovfl, False)
//| def low(v): return None if v is None else v
.include "prologue.inc"
.macro MODES
  v_mov_b32_e32 v10, 0
  v_add_f16_e32 v10, v1, v2
  OUTPUT v10
  v_mov_b32_e32 v10, 0
  v_mul_f16_e32 v10, v1, v2
  OUTPUT v10
  v_mov_b32_e32 v10, 0
  v_fma_f16 v10, v1, v2, v3
  OUTPUT v10
  v_mov_b32_e32 v10, 0
  v_mad_legacy_f16 v10, v1, v2, v3
  OUTPUT v10
  v_pk_add_f16 v10, v1, v2
  OUTPUT v10
  v_pk_mul_f16 v10, v1, v2
  OUTPUT v10
  v_pk_fma_f16 v10, v1, v2, v3
  OUTPUT v10
  v_mov_b32_e32 v10, v3
  v_pk_fmac_f16_e32 v10, v1, v2
  OUTPUT v10
  v_mov_b32_e32 v10, 0
  v_cvt_f16_f32_e32 v10, v4
  OUTPUT v10
  v_mov_b32_e32 v10, 0
  v_cvt_f16_u16_e32 v10, v5
  OUTPUT v10
  v_cvt_pk_f16_f32 v10, v4, v4
  OUTPUT v10
  v_cvt_pkrtz_f16_f32 v10, v4, v4
  OUTPUT v10
.endm
//| def columns(mode, ovfl=False):
//|     def col(label, f): expect(f"{label}, mode {mode}", [f(l) for l in LANE])
//|     def h(c, l): return c[l] & 0xffff
//|     col("add", lambda l: add(h(P, l), h(Q, l), mode, ovfl))
//|     col("mul", lambda l: mul(h(P, l), h(Q, l), mode, ovfl))
//|     col("fma", lambda l: fma(h(P, l), h(Q, l), h(R, l), mode, ovfl))
//|     col("mad", lambda l: mad(h(P, l), h(Q, l), h(R, l), mode, ovfl))
//|     col("pk add", lambda l: both(lambda a, b, m: add(a, b, m, ovfl), P[l], Q[l], mode))
//|     col("pk mul", lambda l: both(lambda a, b, m: mul(a, b, m, ovfl), P[l], Q[l], mode))
//|     col("pk fma", lambda l: both(lambda a, b, c, m: fma(a, b, c, m, ovfl), P[l], Q[l], R[l], mode))
//|     col("pk fmac", lambda l: both(lambda a, b, c, m: fma(a, b, c, m, ovfl), P[l], Q[l], R[l], mode))
//|     col("cvt", lambda l: cvt(X[l], mode, ovfl))
//|     col("cvt u16", lambda l: saturated(encode_directed(U[l] & 0xffff, "f16", mode), ovfl, False))
//|     col("cvt pk", lambda l: cvt(X[l], 0, ovfl) * 0x10001)
//|     col("cvt pkrtz", lambda l: cvt(X[l], 3) * 0x10001)
//| s = rng(71); [s(16) for _ in range(120)]; U = [s(32) for _ in LANE]
KERNEL
  INPUTS 1, 6, 0
  LOADED
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x3      // f32 to zero, f16 nearest
  MODES
//| columns(0)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x4      // f16 up
  MODES
//| columns(1)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x9      // f16 down, f32 up
  MODES
//| columns(2)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0xc      // f16 to zero
  MODES
//| columns(3)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x4
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1       // FP16_OVFL
  MODES
//| columns(1, True)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0
  // f64: 1 + 2^-60 and its negation, up and down; a denormal with flushing
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x4
  v_mov_b32_e32 v20, 0
  v_mov_b32_e32 v21, 0x3c300000
  v_add_f64 v[22:23], 1.0, v[20:21]
  OUTPUT v22   // == 1
  v_add_f64 v[22:23], -1.0, -v[20:21]
  OUTPUT v22   // == 0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x8
  v_add_f64 v[22:23], -1.0, -v[20:21]
  OUTPUT v22   // == 1
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
  v_mov_b32_e32 v24, 5
  v_mov_b32_e32 v25, 0x80000000
  v_add_f64 v[22:23], v[24:25], v[24:25]
  OUTPUT v22   // == 10
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0
  v_add_f64 v[22:23], v[24:25], v[24:25]
  OUTPUT v22   // == 0
  OUTPUT v23   // == 0x80000000
  v_mov_b32_e32 v26, 0
  v_mov_b32_e32 v27, 0x00100000
  v_mul_f64 v[22:23], v[26:27], 0.5
  OUTPUT v23   // == 0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 3
  v_mul_f64 v[22:23], v[26:27], 0.5
  OUTPUT v23   // == 0x00080000
END_KERNEL
