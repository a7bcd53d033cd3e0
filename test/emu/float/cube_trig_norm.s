// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Cube map instructions, segments of 2/pi, conversions of normalised numbers.
// Source: CDNA4 ISA pseudocode V_CUBE*_F32, V_TRIG_PREOP_F64, V_CVT_PKNORM_*_F16,
// V_CVT_NORM_*_F16, V_CVT_OFF_F32_I4, V_CVT_PKACCUM_U8_F32; 2/pi from Machin's formula here.

//| V = [1.0, -1.0, 0.5, -0.5, 2.0, -0.0, 0.0, 3.0]
//| inputs(x=[b32(V[l % 8]) for l in LANE], y=[b32(V[l // 8]) for l in LANE], z=[b32(V[(l * 5 + l // 8) % 8]) for l in LANE])
//| H = [b16(v) for v in (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, math.inf, -math.inf, 0.25, 1e-4, -1e-4)] + [l * 977 & 0xbbff for l in range(52)]
//| inputs(h=H, f=random_f32(64, 91, -3, 9))
//| def cube(x, y, z):
//|     x, y, z = f32(x), f32(y), f32(z)
//|     if abs(z) >= abs(x) and abs(z) >= abs(y): return 5.0 if z < 0 else 4.0, -x if z < 0 else x, -y, 2 * z
//|     if abs(y) >= abs(x): return 3.0 if y < 0 else 2.0, x, -z if y < 0 else z, 2 * y
//|     return 1.0 if x < 0 else 0.0, z if x < 0 else -z, -y, 2 * x
//| def norm(h, low, scale):
//|     v = min(max(f16(h), low), 1.0) * scale
//|     return round(v) & 0xffff                    # Python rounds halves to even
//| def atan_inverse(n, one):
//|     total = term = one // n; k, sign = 3, -1
//|     while term: term //= n * n; total += sign * (term // k); sign, k = -sign, k + 2
//|     return total
//| ONE = 1 << 1500
//| PI = 4 * (4 * atan_inverse(5, ONE) - atan_inverse(239, ONE))
//| FRACTION = (2 * ONE << 1201) // PI & ((1 << 1201) - 1)    # 1201 bits of 2/pi
//| def preop(exponent, segment):
//|     shift = segment * 53 + max(exponent - 1077, 0)
//|     whole = (FRACTION << shift) >> (1201 - 53) & ((1 << 53) - 1)
//|     return b64(math.ldexp(float(whole), -53 - shift + (128 if exponent >= 1968 else 0)))
//| EXPONENTS = [1023, 1077, 1078, 1100, 1500, 1967, 1968, 2046] * 8
//| inputs(hi=[x << 20 | 0x12345 for x in EXPONENTS], seg=[l // 8 * 3 for l in LANE])
.include "prologue.inc"
KERNEL
  INPUTS 10, 7, 0          // x y z h f hi seg
  LOADED
  v_cubeid_f32 v20, v10, v11, v12
  OUTPUT v20     // == b32(cube(x, y, z)[0])
  v_cubesc_f32 v20, v10, v11, v12
  OUTPUT v20     // == b32(cube(x, y, z)[1])
  v_cubetc_f32 v20, v10, v11, v12
  OUTPUT v20     // == b32(cube(x, y, z)[2])
  v_cubema_f32 v20, v10, v11, v12
  OUTPUT v20     // == b32(cube(x, y, z)[3])
  v_mov_b32_e32 v20, 7
  v_mov_b32_e32 v21, v15
  v_trig_preop_f64 v[22:23], v[20:21], v16
  OUTPUT64 v22, v23     // == preop(EXPONENTS[lane], seg)
  v_cvt_pknorm_i16_f16 v20, v13, -v13
  OUTPUT v20     // == norm(h, -1.0, 32767) | norm(h ^ 0x8000, -1.0, 32767) << 16
  v_cvt_pknorm_u16_f16 v20, v13, |v13|
  OUTPUT v20     // == norm(h, 0.0, 65535) | norm(h & 0x7fff, 0.0, 65535) << 16
  v_cvt_norm_i16_f16_e32 v20, v13
  v_and_b32_e32 v20, 0xffff, v20
  OUTPUT v20     // == norm(h, -1.0, 32767)
  v_cvt_norm_u16_f16_e32 v20, v13
  v_and_b32_e32 v20, 0xffff, v20
  OUTPUT v20     // == norm(h, 0.0, 65535)
  v_cvt_off_f32_i4_e32 v20, v0
  OUTPUT v20     // == b32(sext(lane, 4) / 16)
  v_mov_b32_e32 v20, 0x11223344
  v_cvt_pkaccum_u8_f32 v20, v14, v0
  OUTPUT v20     // == 0x11223344 & ~(255 << 8 * (lane & 3)) | round(min(max(f32(f), 0.0), 255.0)) << 8 * (lane & 3)
  // legacy forms, on powers of two
  v_mov_b32_e32 v21, 0x40400000
  v_exp_legacy_f32_e32 v20, v21
  OUTPUT v20     // == b32(8.0)
  v_mov_b32_e32 v21, 0x41800000
  v_log_legacy_f32_e32 v20, v21
  OUTPUT v20     // == b32(4.0)
END_KERNEL
