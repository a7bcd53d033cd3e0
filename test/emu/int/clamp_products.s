// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// clamp on integer products, sums of products and of differences: the exact result goes to
// the nearest number of the result's type.
// Source: CDNA4 ISA 6.5 ("For integer operations, it clamps the result to the largest and
// smallest representable value"); 12.7 V_MUL_LO_U16, 12.11 V_MAD_{,LEGACY_}{U,I}16 ("Supports
// saturation"). Which of the others take clamp says LLVM's assembler.

//| a, b = pairs_u32(64, 195)
//| c = [0xffffffff, 0x80000000, 0x7fffffff, 0xfffffff0] * 8 + random_u32(32, 196)
//| inputs(a=a, b=b, c=c)
//| def u(v): return clamp(v, 0, U32)
//| def i(v): return clamp(v, -0x80000000, 0x7fffffff) & U32
//| def u16(v): return clamp(v, 0, 0xffff)
//| def i16(v): return clamp(v, -0x8000, 0x7fff) & 0xffff
//| def lo(x): return x & 0xffff
//| def hi(x): return x >> 16
//| def slo(x): return sext(x & 0xffff, 16)
//| def shi(x): return sext(x >> 16, 16)
//| def s24(x): return sext(x & 0xffffff, 24)
//| def u24(x): return x & 0xffffff
//| def each(f, *v): return f(*(lo(x) for x in v)) | f(*(hi(x) for x in v)) << 16
//| def signed(f): return lambda *v: f(*(sext(x, 16) for x in v))
//| def octets(x): return [x >> k & 255 for k in (0, 8, 16, 24)]
//| def sad(a, b): return sum(abs(x - y) for x, y in zip(octets(a), octets(b)))
//| def msad(a, b): return sum(abs(x - y) for x, y in zip(octets(a), octets(b)) if y)
//| def dot(f, a, b): return sum(f(x) * f(y) for x, y in zip(octets(a), octets(b)))
//| def s8(x): return sext(x, 8)
//| def u64(v): return clamp(v, 0, (1 << 64) - 1)
//| def i64_(v): return clamp(v, -1 << 63, (1 << 63) - 1)
//| def wide(a, c): return a << 32 | c
.include "prologue.inc"
.macro LOW op:vararg
  \op
  v_and_b32_e32 v10, 0xffff, v10
.endm
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_mul_u32_u24_e64 v10, v1, v2 clamp
  OUTPUT v10   // == u(u24(a) * u24(b))
  v_mul_i32_i24_e64 v10, v1, v2 clamp
  OUTPUT v10   // == i(s24(a) * s24(b))
  v_mad_u32_u24 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(u24(a) * u24(b) + c)
  v_mad_i32_i24 v10, v1, v2, v3 clamp
  OUTPUT v10   // == i(s24(a) * s24(b) + i32(c))
  v_mad_u32_u16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(lo(a) * lo(b) + c)
  v_mad_i32_i16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == i(slo(a) * slo(b) + i32(c))
  LOW v_mul_lo_u16_sdwa v10, v1, v2 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  OUTPUT v10   // == u16(lo(a) * lo(b))
  LOW v_mad_u16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u16(lo(a) * lo(b) + lo(c))
  LOW v_mad_i16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == i16(slo(a) * slo(b) + slo(c))
  LOW v_mad_legacy_u16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u16(lo(a) * lo(b) + lo(c))
  LOW v_mad_legacy_i16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == i16(slo(a) * slo(b) + slo(c))
  v_pk_mul_lo_u16 v10, v1, v2 clamp
  OUTPUT v10   // == each(lambda x, y: u16(x * y), a, b)
  v_pk_mad_u16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == each(lambda x, y, z: u16(x * y + z), a, b, c)
  v_pk_mad_i16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == each(signed(lambda x, y, z: i16(x * y + z)), a, b, c)
  v_sad_u8 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(sad(a, b) + c)
  v_sad_hi_u8 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u((sad(a, b) << 16) + c)
  v_msad_u8 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(msad(a, b) + c)
  v_sad_u16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(abs(lo(a) - lo(b)) + abs(hi(a) - hi(b)) + c)
  v_sad_u32 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(abs(a - b) + c)
  v_dot2_i32_i16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == i(slo(a) * slo(b) + shi(a) * shi(b) + i32(c))
  v_dot2_u32_u16 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(lo(a) * lo(b) + hi(a) * hi(b) + c)
  v_dot4_i32_i8 v10, v1, v2, v3 clamp
  OUTPUT v10   // == i(dot(s8, a, b) + i32(c))
  v_dot4_u32_u8 v10, v1, v2, v3 clamp
  OUTPUT v10   // == u(dot(int, a, b) + c)
  v_mov_b32_e32 v12, v3
  v_mov_b32_e32 v13, v1
  v_mad_u64_u32 v[14:15], s[20:21], v1, v2, v[12:13] clamp
  OUTPUT v14   // == u64(a * b + wide(a, c)) & U32
  OUTPUT v15   // == u64(a * b + wide(a, c)) >> 32
  v_mad_i64_i32 v[14:15], s[20:21], v1, v2, v[12:13] clamp
  OUTPUT v14   // == i64_(i32(a) * i32(b) + i64(wide(a, c))) & U32
  OUTPUT v15   // == i64_(i32(a) * i32(b) + i64(wide(a, c))) >> 32 & U32
END_KERNEL
