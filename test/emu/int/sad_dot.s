// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Sums of absolute differences, one and four at a time, masked, packed, clamped; dot products
// of 4-, 8- and 16-bit integers with a 32-bit addend, clamped, and into the destination.
// Source: CDNA4 ISA pseudocode V_SAD_U8, V_MSAD_U8, V_QSAD_PK_U16_U8, V_MQSAD_PK_U16_U8,
// V_MQSAD_U32_U8, V_DOT8_I32_I4, V_DOT8_U32_U4, V_DOT4C_I32_I8, V_DOT8C_I32_I4,
// V_DOT2C_I32_I16; clamp of integers: the result saturates (6.2.2).

//| a, b, h, c, d, e, g = [random_u32(64, 80 + i) for i in range(7)]
//| b[:16] = [x & 0xff00ff00 for x in b[:16]]
//| c[:4] = [0xffffffff, 0x7fffffff, 0x80000000, 0xfffffff0]
//| a[:4] = [0x7f7f7f7f, 0x77777777, 0x88888888, 0xffffffff]
//| b[:4] = [0x7f7f7f7f, 0x77777777, 0x77777777, 0xffffffff]
//| inputs(a=a, h=h, b=b, c=c, d=d, e=e, g=g)
//| def sad(x, y, masked=False):
//|     bytes_of = lambda v: [v >> k & 255 for k in (0, 8, 16, 24)]
//|     return sum(abs(p - q) for p, q in zip(bytes_of(x), bytes_of(y)) if q or not masked)
//| def sums(a, h, b, masked): return [sad((a | h << 32) >> 8 * k & 0xffffffff, b, masked) for k in range(4)]
//| def packed(a, h, b, c, d, masked, clamp=False):
//|     add = [(c | d << 32) >> 16 * k & 0xffff for k in range(4)]
//|     r = [min(s + x, 65535) if clamp else (s + x) & 65535 for s, x in zip(sums(a, h, b, masked), add)]
//|     return sum(x << 16 * k for k, x in enumerate(r))
//| def dot(a, b, c, bits, signed, clamp=False):
//|     def part(v, k): return sext(v >> k, bits) if signed else v >> k & ((1 << bits) - 1)
//|     total = (i32(c) if signed else c) + sum(part(a, k) * part(b, k) for k in range(0, 32, bits))
//|     low, high = (-2 ** 31, 2 ** 31 - 1) if signed else (0, 2 ** 32 - 1)
//|     return (min(max(total, low), high) if clamp else total) & 0xffffffff
.include "prologue.inc"
KERNEL
  INPUTS 10, 2, 0          // a h: v[10:11]
  INPUT v12, 2             // b
  INPUTS 14, 4, 3          // c d e g: v[14:17]
  LOADED
  v_sad_u8 v20, v10, v12, v14
  OUTPUT v20     // == sad(a, b) + c & 0xffffffff
  v_sad_u8 v20, v10, v12, v14 clamp
  OUTPUT v20     // == min(sad(a, b) + c, 0xffffffff)
  v_msad_u8 v20, v10, v12, v14
  OUTPUT v20     // == sad(a, b, True) + c & 0xffffffff
  v_sad_hi_u8 v20, v10, v12, v14
  OUTPUT v20     // == (sad(a, b) << 16) + c & 0xffffffff
  v_sad_u16 v20, v10, v12, v14 clamp
  OUTPUT v20     // == min(abs((a & 65535) - (b & 65535)) + abs((a >> 16) - (b >> 16)) + c, 0xffffffff)
  v_qsad_pk_u16_u8 v[20:21], v[10:11], v12, v[14:15]
  OUTPUT64 v20, v21     // == packed(a, h, b, c, d, False)
  v_qsad_pk_u16_u8 v[20:21], v[10:11], v12, v[14:15] clamp
  OUTPUT64 v20, v21     // == packed(a, h, b, c, d, False, True)
  v_mqsad_pk_u16_u8 v[20:21], v[10:11], v12, v[14:15]
  OUTPUT64 v20, v21     // == packed(a, h, b, c, d, True)
  v_mqsad_u32_u8 v[20:23], v[10:11], v12, v[14:17]
  OUTPUT v20     // == sums(a, h, b, True)[0] + c & 0xffffffff
  OUTPUT v21     // == sums(a, h, b, True)[1] + d & 0xffffffff
  OUTPUT v22     // == sums(a, h, b, True)[2] + e & 0xffffffff
  OUTPUT v23     // == sums(a, h, b, True)[3] + g & 0xffffffff
  v_dot8_i32_i4 v20, v10, v12, v14
  OUTPUT v20     // == dot(a, b, c, 4, True)
  v_dot8_i32_i4 v20, v10, v12, v14 clamp
  OUTPUT v20     // == dot(a, b, c, 4, True, True)
  v_dot8_u32_u4 v20, v10, v12, v14
  OUTPUT v20     // == dot(a, b, c, 4, False)
  v_dot8_u32_u4 v20, v10, v12, v14 clamp
  OUTPUT v20     // == dot(a, b, c, 4, False, True)
  v_dot4_i32_i8 v20, v10, v12, v14 clamp
  OUTPUT v20     // == dot(a, b, c, 8, True, True)
  v_dot4_u32_u8 v20, v10, v12, v14 clamp
  OUTPUT v20     // == dot(a, b, c, 8, False, True)
  v_dot2_i32_i16 v20, v10, v12, v14 clamp
  OUTPUT v20     // == dot(a, b, c, 16, True, True)
  v_dot2_u32_u16 v20, v10, v12, v14
  OUTPUT v20     // == dot(a, b, c, 16, False)
  v_mov_b32_e32 v20, v14
  v_dot8c_i32_i4 v20, v10, v12
  OUTPUT v20     // == dot(a, b, c, 4, True)
  v_mov_b32_e32 v20, v14
  v_dot4c_i32_i8 v20, v10, v12
  OUTPUT v20     // == dot(a, b, c, 8, True)
  v_mov_b32_e32 v20, v14
  v_dot2c_i32_i16 v20, v10, v12
  OUTPUT v20     // == dot(a, b, c, 16, True)
END_KERNEL
