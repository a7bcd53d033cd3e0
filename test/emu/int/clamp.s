// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// clamp on integers saturates; on packed floats each half goes to [0, 1].
// Source: LLVM AMDGPUModifierSyntax "clamp" (integer: the result is clamped to the range of
// the type); llvm.uadd.sat, usub.sat, sadd.sat, ssub.sat select these forms
// (llvm/test/CodeGen/AMDGPU/uaddsat.ll, usubsat.ll, saddsat.ll, ssubsat.ll).

//| a, b = pairs_u32(64, 95)
//| inputs(a=a, b=b, x=random_f32(64, 96, -3, 2), y=random_f32(64, 97, -3, 2))
//| inputs(X=random_f32(64, 98, -3, 2), Y=random_f32(64, 99, -3, 2))
//| def su(v): return clamp(v, 0, U32)
//| def si(v): return clamp(v, -0x80000000, 0x7fffffff)
//| def halves(f, a, b): return f(a & 0xffff, b & 0xffff) & 0xffff | (f(a >> 16, b >> 16) & 0xffff) << 16
//| def s16(v): return sext(v, 16)
//| def one(bits): return 0 if f32(bits) <= 0 else 0x3f800000 if f32(bits) >= 1 else bits
.include "prologue.inc"
KERNEL
  INPUTS 2, 4, 0
  INPUT v7, 4
  INPUT v9, 5
  LOADED
  v_mov_b32_e32 v6, v4
  v_mov_b32_e32 v8, v5
  v_add_u32_e64 v10, v2, v3 clamp
  OUTPUT v10   // == su(a + b)
  v_sub_u32_e64 v10, v2, v3 clamp
  OUTPUT v10   // == su(a - b)
  v_add_i32 v10, v2, v3 clamp
  OUTPUT v10   // == si(i32(a) + i32(b))
  v_sub_i32 v10, v2, v3 clamp
  OUTPUT v10   // == si(i32(a) - i32(b))
  v_pk_add_u16 v10, v2, v3 clamp
  OUTPUT v10   // == halves(lambda p, q: min(p + q, 0xffff), a, b)
  v_pk_sub_u16 v10, v2, v3 clamp
  OUTPUT v10   // == halves(lambda p, q: max(p - q, 0), a, b)
  v_pk_add_i16 v10, v2, v3 clamp
  OUTPUT v10   // == halves(lambda p, q: clamp(s16(p) + s16(q), -32768, 32767), a, b)
  v_pk_sub_i16 v10, v2, v3 clamp
  OUTPUT v10   // == halves(lambda p, q: clamp(s16(p) - s16(q), -32768, 32767), a, b)
  // packed f32
  v_pk_add_f32 v[10:11], v[6:7], v[8:9] clamp
  OUTPUT v10   // == one(add32(x, y))
  OUTPUT v11   // == one(add32(X, Y))
  v_pk_mul_f32 v[10:11], v[6:7], v[8:9] clamp
  OUTPUT v10   // == one(mul32(x, y))
  OUTPUT v11   // == one(mul32(X, Y))
  // products
  v_mul_u32_u24_e64 v10, v2, v3 clamp
  OUTPUT v10   // == su((a & 0xffffff) * (b & 0xffffff))
  v_mul_i32_i24_e64 v10, v2, v3 clamp
  OUTPUT v10   // == si(sext(a, 24) * sext(b, 24))
  v_mad_u32_u24 v10, v2, v3, v2 clamp
  OUTPUT v10   // == su((a & 0xffffff) * (b & 0xffffff) + a)
  v_mad_i32_i24 v10, v2, v3, v2 clamp
  OUTPUT v10   // == si(sext(a, 24) * sext(b, 24) + i32(a))
  v_mad_u32_u16 v10, v2, v3, v2 clamp
  OUTPUT v10   // == su((a & 0xffff) * (b & 0xffff) + a)
  v_mad_i32_i16 v10, v2, v3, v2 clamp
  OUTPUT v10   // == si(s16(a) * s16(b) + i32(a))
  v_mad_legacy_u16 v10, v2, v3, v2 clamp
  OUTPUT v10   // == min((a & 0xffff) * (b & 0xffff) + (a & 0xffff), 0xffff)
  v_mad_legacy_i16 v10, v2, v3, v2 clamp
  OUTPUT v10   // == clamp(s16(a) * s16(b) + s16(a), -32768, 32767) & 0xffff
  v_pk_mad_u16 v10, v2, v3, v2 clamp
  OUTPUT v10   // == halves(lambda p, q: min(p * q + p, 0xffff), a, b)
  v_pk_mad_i16 v10, v2, v3, v2 clamp
  OUTPUT v10   // == halves(lambda p, q: clamp(s16(p) * s16(q) + s16(p), -32768, 32767), a, b)
  v_pk_mul_lo_u16 v10, v2, v3 clamp
  OUTPUT v10   // == halves(lambda p, q: min(p * q, 0xffff), a, b)
  v_mov_b32_e32 v20, v2
  v_mov_b32_e32 v21, v3
  v_mad_u64_u32 v[22:23], vcc, v2, v3, v[20:21] clamp
  OUTPUT64 v22, v23   // == min(a * b + (a | b << 32), 2 ** 64 - 1)
  v_mad_i64_i32 v[22:23], vcc, v2, v3, v[20:21] clamp
  OUTPUT64 v22, v23   // == clamp(i32(a) * i32(b) + i64(a | b << 32), -2 ** 63, 2 ** 63 - 1)
  // packed halves as results of conversions: each to [0, 1]
  v_cvt_pkrtz_f16_f32 v10, v4, v5 clamp
  v_cvt_pkrtz_f16_f32 v11, v4, v5
  v_pk_max_f16 v11, v11, v11 clamp
  v_sub_u32_e32 v10, v10, v11
  OUTPUT v10   // == 0
END_KERNEL
