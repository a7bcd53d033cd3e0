// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cvt_u32_f32, v_cvt_i32_f32 (towards zero, saturating, NaN to 0), v_cvt_f32_u32,
// v_cvt_f32_i32 (nearest even), v_cvt_f32_ubyte0..3, v_rndne, v_floor, v_ceil, v_trunc,
// v_fract, v_frexp_*, v_cvt_rpi/flr.
// Source: AMD ISA documents, V_CVT_U32_F32 and V_CVT_I32_F32 ("out-of-range floating point
// values, including infinity, saturate; NaN is converted to 0"); IEEE 754 roundings.

//| a = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.99999994, 4294967040.0,
//|      4294967296.0, 1e20, -1e20, 2147483520.0, 2147483648.0, -2147483648.0,
//|      -2147483904.0, INF, -INF, NAN, 8388607.5, 8388608.0, -8388607.5, 255.9, 3.0e9]
//| a = [b32(x) for x in a] + random_f32(37, 38, -3, 34)
//| u = EDGES_U32 + random_u32(38, 39)
//| inputs(a=a, u=u)
//| def sat(bits, low, high):
//|     x = f32(bits)
//|     if math.isnan(x): return 0
//|     if math.isinf(x): return low if x < 0 else high
//|     return clamp(math.trunc(x), low, high)
//| def same_sign(value, x): return b32(math.copysign(float(value), x))
//| def rounded(bits, f):
//|     x = f32(bits)
//|     if math.isnan(x): return NAN
//|     return bits if math.isinf(x) else same_sign(abs(f(x)), x)
//| def even(x): return round(x)
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_cvt_u32_f32_e32 v10, v1
  OUTPUT v10   // == sat(a, 0, 0xffffffff)
  v_cvt_i32_f32_e32 v10, v1
  OUTPUT v10   // == sat(a, -0x80000000, 0x7fffffff)
  v_cvt_u32_f32_e64 v10, -v1
  OUTPUT v10   // == sat(neg32(a), 0, 0xffffffff)
  v_cvt_f32_u32_e32 v10, v2
  OUTPUT v10   // == b32(float(u))
  v_cvt_f32_i32_e32 v10, v2
  OUTPUT v10   // == b32(float(i32(u)))
  v_cvt_f32_ubyte0_e32 v10, v2
  OUTPUT v10   // == b32(float(u & 255))
  v_cvt_f32_ubyte1_e32 v10, v2
  OUTPUT v10   // == b32(float(u >> 8 & 255))
  v_cvt_f32_ubyte2_e32 v10, v2
  OUTPUT v10   // == b32(float(u >> 16 & 255))
  v_cvt_f32_ubyte3_e32 v10, v2
  OUTPUT v10   // == b32(float(u >> 24))
  v_rndne_f32_e32 v10, v1
  OUTPUT v10   // == rounded(a, even)
  v_floor_f32_e32 v10, v1
  OUTPUT v10   // == rounded(a, math.floor)
  v_ceil_f32_e32 v10, v1
  OUTPUT v10   // == rounded(a, math.ceil)
  v_trunc_f32_e32 v10, v1
  OUTPUT v10   // == rounded(a, math.trunc)
  v_frexp_mant_f32_e32 v10, v1
  OUTPUT v10   // == rounded(a, lambda x: math.frexp(x)[0])
  v_frexp_exp_i32_f32_e32 v10, v1
  OUTPUT v10   // == None if f32(a) == 0 else math.frexp(f32(a))[1] if is_finite(f32(a)) else 0
END_KERNEL
