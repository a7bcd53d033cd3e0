// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that C reaches only by name. The oracle computes them from the
// pseudocode of the CDNA3 and CDNA4 ISA documents, chapter 12.
#include "kernel.h"

#define PUT(v) (out[n * k++ + i] = (u32)(v))

#ifdef __AMDGCN__
#define B(name) __builtin_amdgcn_##name
#define H_PERM(a, b, s) B(perm)(a, b, s)
#define H_ALIGNBIT(a, b, s) B(alignbit)(a, b, s)
#define H_ALIGNBYTE(a, b, s) B(alignbyte)(a, b, s)
#define H_UBFE(a, o, w) B(ubfe)(a, o, w)
#define H_SBFE(a, o, w) ((u32)B(sbfe)((s32)(a), o, w))
#define H_SAD_U8(a, b, c) B(sad_u8)(a, b, c)
#define H_SAD_HI_U8(a, b, c) B(sad_hi_u8)(a, b, c)
#define H_SAD_U16(a, b, c) B(sad_u16)(a, b, c)
#define H_MSAD_U8(a, b, c) B(msad_u8)(a, b, c)
#define H_LERP(a, b, c) B(lerp)(a, b, c)
#define H_MUL_U24(a, b) ((a & 0xffffff) * (b & 0xffffff))
#define H_MBCNT(a, b) B(mbcnt_hi)(b, B(mbcnt_lo)(a, 5))
#define H_SDOT4(a, b, c) ((u32)B(sdot4)((s32)(a), (s32)(b), (s32)(c), 0))
#define H_UDOT4(a, b, c) B(udot4)(a, b, c, 0)
#define H_SDOT8(a, b, c) ((u32)B(sdot8)((s32)(a), (s32)(b), (s32)(c), 0))
#define H_UDOT8(a, b, c) B(udot8)(a, b, c, 0)
#define H_BITOP3(a, b, c, t)                                                   \
  ((u32)B(bitop3_b32)((s32)(a), (s32)(b), (s32)(c), t))
#define H_CVT_PK_U8(f, byte, old) B(cvt_pk_u8_f32)(f, byte, old)
#define H_FRACT(f) B(fractf)(f)
#define H_MED3(a, b, c) B(fmed3f)(a, b, c)
#define H_FREXP_MANT(f) B(frexp_mantf)(f)
#define H_FREXP_EXP(f) B(frexp_expf)(f)
#define H_LDEXP(f, e) __builtin_ldexpf(f, e)
#define H_CLASS(f, mask) B(classf)(f, mask)
#define H_CUBE(x, y, z) B(cubeid)(x, y, z)
#define H_RCP(f) B(rcpf)(f)
#define H_RSQ(f) B(rsqf)(f)
#define H_SQRT(f) B(sqrtf)(f)
#define H_EXP2(f) B(exp2f)(f)
#define H_LOG2(f) B(logf)(f)
#define H_PKRTZ(a, b) BITCAST(u32, B(cvt_pkrtz)(a, b))
#define H_PKNORM_I16(a, b) BITCAST(u32, B(cvt_pknorm_i16)(a, b))
#define H_PKNORM_U16(a, b) BITCAST(u32, B(cvt_pknorm_u16)(a, b))
#define H_PK_I16(a, b) BITCAST(u32, B(cvt_pk_i16)((s32)(a), (s32)(b)))
#define H_PK_U16(a, b) BITCAST(u32, B(cvt_pk_u16)(a, b))
#else
static u32 byte_of(u64 x, u32 i) { return (u32)(x >> 8 * i & 255); }
static u32 H_PERM(u32 a, u32 b, u32 s) {
  u64 in = (u64)a << 32 | b;
  u32 r = 0;
  for (u32 j = 0; j < 4; j++) {
    u32 c = byte_of(s, j), v;
    if (c >= 13)
      v = 255;
    else if (c == 12)
      v = 0;
    else if (c >= 8) // the sign of byte 1, 3, 5 or 7
      v = in >> (16 * (c - 8) + 15) & 1 ? 255 : 0;
    else
      v = byte_of(in, c);
    r |= v << 8 * j;
  }
  return r;
}
static u32 H_ALIGNBIT(u32 a, u32 b, u32 s) {
  return (u32)(((u64)a << 32 | b) >> (s & 31));
}
static u32 H_ALIGNBYTE(u32 a, u32 b, u32 s) {
  return (u32)(((u64)a << 32 | b) >> 8 * (s & 3));
}
static u32 H_UBFE(u32 a, u32 o, u32 w) {
  return a >> (o & 31) & ((1u << (w & 31)) - 1);
}
static u32 H_SBFE(u32 a, u32 o, u32 w) {
  o &= 31;
  w &= 31;
  if (!w)
    return 0;
  u32 field = (u32)((s32)a >> o) & ((1u << w) - 1);
  return field >> (w - 1) & 1 ? field | ~((1u << w) - 1) : field;
}
static u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
static u32 H_SAD_U8(u32 a, u32 b, u32 c) {
  for (u32 j = 0; j < 4; j++)
    c += distance(byte_of(a, j), byte_of(b, j));
  return c;
}
static u32 H_SAD_HI_U8(u32 a, u32 b, u32 c) {
  return (H_SAD_U8(a, b, 0) << 16) + c;
}
static u32 H_SAD_U16(u32 a, u32 b, u32 c) {
  return c + distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16);
}
static u32 H_MSAD_U8(u32 a, u32 b, u32 c) {
  for (u32 j = 0; j < 4; j++)
    if (byte_of(b, j))
      c += distance(byte_of(a, j), byte_of(b, j));
  return c;
}
static u32 H_LERP(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 j = 0; j < 4; j++)
    r |= ((byte_of(a, j) + byte_of(b, j) + (byte_of(c, j) & 1)) >> 1) << 8 * j;
  return r;
}
#define H_MUL_U24(a, b) ((a & 0xffffff) * (b & 0xffffff))
#define H_MBCNT(a, b) (5 + wave_count_below((u64)(b) << 32 | (a)))
static u32 H_SDOT4(u32 a, u32 b, u32 c) {
  for (u32 j = 0; j < 4; j++)
    c += (u32)((s8)byte_of(a, j) * (s8)byte_of(b, j));
  return c;
}
static u32 H_UDOT4(u32 a, u32 b, u32 c) {
  for (u32 j = 0; j < 4; j++)
    c += byte_of(a, j) * byte_of(b, j);
  return c;
}
static s32 nibble(u32 x, u32 j) { return (s32)(x << (28 - 4 * j)) >> 28; }
static u32 H_SDOT8(u32 a, u32 b, u32 c) {
  for (u32 j = 0; j < 8; j++)
    c += (u32)(nibble(a, j) * nibble(b, j));
  return c;
}
static u32 H_UDOT8(u32 a, u32 b, u32 c) {
  for (u32 j = 0; j < 8; j++)
    c += (a >> 4 * j & 15) * (b >> 4 * j & 15);
  return c;
}
static u32 H_BITOP3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (u32 j = 0; j < 32; j++)
    r |= (table >> ((a >> j & 1) << 2 | (b >> j & 1) << 1 | (c >> j & 1)) & 1)
         << j;
  return r;
}
// To nearest and saturating: HSA Programmer's Reference Manual 5.15, packcvt,
// of which this instruction does one byte.
static u32 H_CVT_PK_U8(f32 f, u32 byte, u32 old) {
  f32 t = f != f ? 0 : __builtin_rintf(f);
  u32 v = t <= 0 ? 0 : t >= 255 ? 255 : (u32)t, at = 8 * (byte & 3);
  return (old & ~(255u << at)) | v << at;
}
static f32 H_FRACT(f32 f) {
  f32 r = f - __builtin_floorf(f);
  return r < 0x1.fffffep-1f ? r : 0x1.fffffep-1f;
}
static f32 H_MED3(f32 a, f32 b, f32 c) {
  return max_f32(min_f32(a, b), min_f32(max_f32(a, b), c));
}
static f32 H_FREXP_MANT(f32 f) {
  int e;
  return __builtin_frexpf(f, &e);
}
static s32 H_FREXP_EXP(f32 f) {
  int e;
  __builtin_frexpf(f, &e);
  return e;
}
#define H_LDEXP(f, e) __builtin_ldexpf(f, e)
static _Bool H_CLASS(f32 f, u32 mask) {
  u32 bits = BITCAST(u32, f), exponent = bits >> 23 & 255, m = bits & 0x7fffff;
  u32 negative = bits >> 31, bit;
  if (exponent == 255)
    bit = m ? (m >> 22 ? 1 : 0) : negative ? 2 : 9;
  else if (exponent)
    bit = negative ? 3 : 8;
  else
    bit = m ? (negative ? 4 : 7) : negative ? 5 : 6;
  return mask >> bit & 1;
}
static f32 H_CUBE(f32 x, f32 y, f32 z) {
  f32 ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  if (az >= ax && az >= ay)
    return z < 0 ? 5 : 4;
  if (ay >= ax)
    return y < 0 ? 3 : 2;
  return x < 0 ? 1 : 0;
}
#define H_RCP(f) ((f32)(1.0 / (f64)(f)))
#define H_RSQ(f) ((f32)(1.0 / __builtin_sqrt((f64)(f))))
#define H_SQRT(f) __builtin_sqrtf(f)
#define H_EXP2(f) ((f32)__builtin_exp2((f64)(f)))
#define H_LOG2(f) ((f32)__builtin_log2((f64)(f)))
static u32 toward_zero(f32 f) {
  f16 h = (f16)f;
  u16 bits = BITCAST(u16, h);
  if (__builtin_fabsf((f32)h) > __builtin_fabsf(f))
    bits--;
  return bits;
}
static u32 H_PKRTZ(f32 a, f32 b) {
  return toward_zero(a) | toward_zero(b) << 16;
}
static u32 normalized(f32 f, f32 scale, f32 low) {
  f32 t = f < low ? low : f > 1 ? 1 : f;
  return (u32)(s32)__builtin_rintf(t * scale) & 0xffff;
}
static u32 H_PKNORM_I16(f32 a, f32 b) {
  return normalized(a, 32767, -1) | normalized(b, 32767, -1) << 16;
}
static u32 H_PKNORM_U16(f32 a, f32 b) {
  return normalized(a, 65535, 0) | normalized(b, 65535, 0) << 16;
}
#define H_PK_I16(a, b) (((a)&0xffff) | (b) << 16)
#define H_PK_U16(a, b) (((a)&0xffff) | (b) << 16)
#endif

//| launch("named_integer", [inp("u32", 768), out("u32", 256 * 24)], block=256)
KERNEL(named_integer, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 n = 256, i = global_linear(), k = 0;
  u32 a = in[i], b = in[n + i], c = in[2 * n + i];
  PUT(H_PERM(a, b, c));
  PUT(H_PERM(a, b, 0x0c010d06));
  PUT(H_PERM(a, b, 0x08090a0b));
  PUT(H_ALIGNBIT(a, b, c));
  PUT(H_ALIGNBYTE(a, b, c));
  PUT(H_UBFE(a, b, c));
  PUT(H_SBFE(a, b, c));
  PUT(H_SAD_U8(a, b, c));
  PUT(H_SAD_HI_U8(a, b, c));
  PUT(H_SAD_U16(a, b, c));
  PUT(H_MSAD_U8(a, b & 0xff00ffff, c));
  PUT(H_LERP(a, b, c));
  PUT(H_MUL_U24(a, b));
  PUT(H_MBCNT(0xf0f0f0f0, 0x12345678));
  PUT(H_SDOT4(a, b, c));
  PUT(H_UDOT4(a, b, c));
  PUT(H_SDOT8(a, b, c));
  PUT(H_UDOT8(a, b, c));
  PUT(H_BITOP3(a, b, c, 0x96));
  PUT(H_BITOP3(a, b, c, 0xca));
  PUT(H_BITOP3(a, b, c, 0x17));
  PUT(H_BITOP3(a, b, c, 0x41));
  PUT(H_PK_I16(a & 0x7fff, b & 0x3fff));
  PUT(H_PK_U16(a & 0xffff, b & 0xffff));
}

//| launch("named_float", [inp("f32", 768, "finite"), out("u32", 256 * 16), out("f32", 256 * 8)],
//|        block=256)
KERNEL(named_float, (GLOBAL const f32 *, in), (GLOBAL u32 *, out),
       (GLOBAL f32 *, values)) {
  u32 n = 256, i = global_linear(), k = 0;
  f32 a = in[i], b = in[n + i], c = in[2 * n + i];
  PUT(H_CVT_PK_U8(a, i, 0x11223344));
  PUT(H_FREXP_EXP(a));
  PUT(H_CLASS(a, 0x2d5));
  PUT(H_CLASS(b, i));
  PUT(H_PKRTZ(a, b));
  PUT(H_PKNORM_I16(a, b));
  PUT(H_PKNORM_U16(b, c));
  values[i] = H_FRACT(a);
  values[n + i] = H_MED3(a, b, c) + 0.0f;
  values[2 * n + i] = H_FREXP_MANT(a);
  values[3 * n + i] = H_LDEXP(a, (s32)i - 128);
  values[4 * n + i] = H_CUBE(a, b, c);
}

// The ISA document promises 1 ulp; denormals are flushed.
//| launch("named_transcendental", [inp("f32", 256, "moderate"), out("f32", 256 * 5, ulps=1)],
//|        block=256)
KERNEL(named_transcendental, (GLOBAL const f32 *, in), (GLOBAL f32 *, values)) {
  u32 n = 256, i = global_linear();
  f32 a = in[i], positive = __builtin_fabsf(a);
  values[i] = H_RCP(a);
  values[n + i] = H_RSQ(positive);
  values[2 * n + i] = H_SQRT(positive);
  values[3 * n + i] = H_EXP2(a * 0.01f);
  values[4 * n + i] = H_LOG2(positive + 2.0f);
}
