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
END_KERNEL
