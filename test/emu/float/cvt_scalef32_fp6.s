// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scaled conversions of 32 elements to and from fp6 and bf6: packing (element k in bits
// 6k+5:6k of six registers), the woven order of the two-source form, ties, saturation,
// stochastic rounding with the seed stepped from element to element.
// Source: CDNA4 ISA pseudocode V_CVT_SCALEF32_2XPK16_FP6_F32, V_CVT_SCALEF32_PK32_*,
// V_CVT_SCALEF32_SR_PK32_*, V_PRNG_B32; OCP MX. How the seed is used: assumed
// (exec/vector/cvt_scale.c), written down in emu_numbers.encode_stochastic.

//| COLUMNS = [random_f32(64, 10 + c, -4, 5) for c in range(32)]
//| TIES = [0.0625, 0.1875, 1.0625, 1.1875, 7.25, 7.75, 3.125, -3.375, 0.0, -0.0, 1e30, -1e30, 30.0, 26.0, 0.03125, 1e-20]
//| for c, v in enumerate(TIES + TIES): COLUMNS[c][:8] = [b32(v)] * 8
//| E = [b32(1.5)] * 8 + [b32(2.0 ** (i % 5 - 2) * 1.1) for i in range(56)]
//| S = random_u32(64, 5)
//| H = [[b16(f32(COLUMNS[2*c][l])) | b16(f32(COLUMNS[2*c+1][l])) << 16 for l in LANE] for c in range(16)]
//| G = [[bb16(f32(COLUMNS[2*c][l])) | bb16(f32(COLUMNS[2*c+1][l])) << 16 for l in LANE] for c in range(16)]
//| inputs(*COLUMNS, *H, *G, E, S)
//| def element(k, l, fmt):
//|     if fmt == "f32": return f32(COLUMNS[k][l])
//|     return decode((H if fmt == "f16" else G)[k // 2][l] >> 16 * (k & 1) & 0xffff, fmt)
//| def exponent(l): return (E[l] >> 23 & 255) - 127
//| def code(k, l, fmt, small, seed=None):
//|     v = element(k, l, fmt)
//|     if math.isinf(v): return encode(v, small)
//|     q, minus = Fraction(v) / Fraction(2) ** exponent(l), math.copysign(1, v) < 0
//|     if seed is None: return encode(q, small, negative_zero=minus)
//|     return encode_stochastic(q, small, fmt, seed, minus)
//| def packed(l, order, fmt, small, stochastic=False):
//|     seed, bits = S[l] if stochastic else None, 0
//|     for p, k in enumerate(order):
//|         bits |= code(k, l, fmt, small, seed) << 6 * p
//|         if stochastic: seed = (seed << 1 ^ (197 if seed >> 31 else 0)) & 0xffffffff
//|     return bits
//| def expect_down(label, order, *args):
//|     all = [packed(l, order, *args) for l in LANE]
//|     for r in range(6): expect(f"{label} dword {r}", [x >> 32 * r & 0xffffffff for x in all])
//| ORDER = list(range(32))
//| WOVEN = [k // 2 + 16 * (k & 1) for k in range(32)]
//| SMALL = [packed(l, ORDER, "f32", "fp6") for l in LANE]
//| def small_bits(k, l): return SMALL[l] >> 6 * k & 63
//| def expect_up(label, fmt, small):
//|     wide = {"f32": b32, "f16": b16, "bf16": bb16}[fmt]
//|     def value(k, l): return wide(decode(small_bits(k, l), small) * 2.0 ** exponent(l))
//|     for r in range(32 if fmt == "f32" else 16):
//|         expect(f"{label} register {r}", [value(r, l) if fmt == "f32" else value(2*r, l) | value(2*r+1, l) << 16 for l in LANE])
.include "prologue.inc"
.macro SIX
  .set .Lk, 0
  .rept 6
    OUTPUT v[200+.Lk]
    .set .Lk, .Lk+1
  .endr
.endm
.macro OUT_RUN count
  .set .Lk, 0
  .rept \count
    OUTPUT v[160+.Lk]
    .set .Lk, .Lk+1
  .endr
.endm
KERNEL
  INPUTS 10, 32, 0                // f32: v[10:41]
  INPUTS 42, 16, 32               // f16: v[42:57]
  INPUTS 58, 16, 48               // bf16: v[58:73]
  INPUTS 74, 2, 64                // scale, seed
  LOADED
.macro DOWN small
  v_cvt_scalef32_2xpk16_\small\()_f32 v[200:205], v[10:25], v[26:41], v74
  SIX
  v_cvt_scalef32_pk32_\small\()_f16 v[200:205], v[42:57], v74
  SIX
  v_cvt_scalef32_pk32_\small\()_bf16 v[200:205], v[58:73], v74
  SIX
  v_cvt_scalef32_sr_pk32_\small\()_f32 v[200:205], v[10:41], v75, v74
  SIX
  v_cvt_scalef32_sr_pk32_\small\()_f16 v[200:205], v[42:57], v75, v74
  SIX
  v_cvt_scalef32_sr_pk32_\small\()_bf16 v[200:205], v[58:73], v75, v74
  SIX
.endm
  DOWN fp6
  DOWN bf6
//| for small in ("fp6", "bf6"):
//|     expect_down("2xpk16 " + small, WOVEN, "f32", small)
//|     expect_down("pk32 f16 " + small, ORDER, "f16", small)
//|     expect_down("pk32 bf16 " + small, ORDER, "bf16", small)
//|     for fmt in ("f32", "f16", "bf16"): expect_down("sr " + fmt + small, ORDER, fmt, small, True)
  // Up: the fp6 bits of the f32 columns in order, read as fp6 and as bf6. Register 0 of
  // the two-source form holds them if its sources are the even and the odd columns.
.set .Lc, 0
.rept 16
  v_mov_b32_e32 v[100+.Lc], v[10+2*.Lc]
  v_mov_b32_e32 v[116+.Lc], v[11+2*.Lc]
  .set .Lc, .Lc+1
.endr
  v_cvt_scalef32_2xpk16_fp6_f32 v[200:205], v[100:115], v[116:131], v74
.macro UP small
  v_cvt_scalef32_pk32_f32_\small v[160:191], v[200:205], v74
  OUT_RUN 32
  v_cvt_scalef32_pk32_f16_\small v[160:175], v[200:205], v74
  OUT_RUN 16
  v_cvt_scalef32_pk32_bf16_\small v[160:175], v[200:205], v74
  OUT_RUN 16
.endm
  UP fp6
  UP bf6
//| for small in ("fp6", "bf6"):
//|     for fmt in ("f32", "f16", "bf16"): expect_up("up " + fmt + small, fmt, small)
END_KERNEL
