// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar integer arithmetic of one width a kernel: the C operators, shifts and
// rotates, bit operations, saturating and overflow forms.
#include "kernel.h"

#define PUT(x) (out[n * k++ + i] = (u64)(x))

// Everything but division, for one width. S, U: the signed and unsigned type.
#define ARITHMETIC(U, S, W)                                                    \
  U a = in[i], b = in[n + i], c = in[2 * n + i];                               \
  S sa = (S)a, sb = (S)b;                                                      \
  u32 shift = (u32)(b % W), k = 0;                                             \
  PUT((U)(a + b));                                                             \
  PUT((U)(a - b));                                                             \
  PUT((U)(1u * a * b));                                                        \
  PUT((U)(a & b) ^ (U)(c | a));                                                \
  PUT((U)(~a & b) | (U)(a ^ ~c));                                              \
  PUT((U)(a << shift));                                                        \
  PUT((U)(a >> shift));                                                        \
  PUT((U)(sa >> shift));                                                       \
  PUT((U)((U)(a << shift) | (U)(a >> ((W - shift) % W))));                     \
  PUT((U)((a >> (shift % 7)) & (((U)1 << (c % (W - 1))) - 1)));                \
  PUT(a < b ? a : c);                                                          \
  PUT((U)(sa < sb ? sa : sb));                                                 \
  PUT((U)(sa > sb ? sa : sb));                                                 \
  PUT((a == b) | (a != c) << 1 | (a <= b) << 2 | (sa >= sb) << 3 |             \
      (sa < 0) << 4);                                                          \
  PUT((U)__builtin_elementwise_add_sat(a, b));                                 \
  PUT((U)__builtin_elementwise_sub_sat(a, b));                                 \
  PUT((U)__builtin_elementwise_add_sat(sa, sb));                               \
  PUT((U)__builtin_elementwise_sub_sat(sa, sb));                               \
  PUT((U)__builtin_popcountg(a));                                              \
  PUT((U)__builtin_clzg(a, W));                                                \
  PUT((U)__builtin_ctzg(a, W));                                                \
  PUT((U)(a == 0 ? 0 : (a & (U)(0 - a))));                                     \
  PUT((U)((U)(sa < 0 ? 0 - a : a)));                                           \
  U carry;                                                                     \
  PUT((U)__builtin_add_overflow(a, b, &carry) + (u64)carry);                   \
  PUT((U)__builtin_sub_overflow(a, b, &carry) + (u64)carry);                   \
  PUT((U)__builtin_mul_overflow(a, b, &carry) + (u64)carry);                   \
  S wide;                                                                      \
  PUT((U)__builtin_add_overflow(sa, sb, &wide) + (u64)(U)wide);                \
  PUT((U)__builtin_sub_overflow(sa, sb, &wide) + (u64)(U)wide);                \
  PUT((U)__builtin_mul_overflow(sa, sb, &wide) + (u64)(U)wide)

#define ARITHMETIC_KERNEL(W)                                                   \
  KERNEL(arithmetic_##W, (GLOBAL const u##W *, in), (GLOBAL u64 *, out),       \
         (u32, n)) {                                                           \
    u32 i = global_linear();                                                   \
    if (i >= n)                                                                \
      return;                                                                  \
    ARITHMETIC(u##W, s##W, W);                                                 \
  }

//| for w in (8, 16, 32, 64):
//|     n = 180
//|     launch(f"arithmetic_{w}",
//|            [inp(f"u{w}", 3 * n), out("u64", 29 * n), val("I", n)], grid=3)
ARITHMETIC_KERNEL(8)
ARITHMETIC_KERNEL(16)
ARITHMETIC_KERNEL(32)
ARITHMETIC_KERNEL(64)

// Division and remainder, where C defines them.
#define DIVISION_KERNEL(W)                                                     \
  KERNEL(division_##W, (GLOBAL const u##W *, in), (GLOBAL u##W *, out),        \
         (u##W, divisor), (u32, n)) {                                          \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    u##W a = in[i], b = in[n + i] ? in[n + i] : 3;                             \
    s##W sa = (s##W)a, sb = (s##W)b;                                           \
    s##W least = (s##W)((u##W)1 << (W - 1));                                   \
    if (sa == least && sb == -1)                                               \
      sb = 5;                                                                  \
    out[n * k++ + i] = (u##W)(a / b);                                          \
    out[n * k++ + i] = (u##W)(a % b);                                          \
    out[n * k++ + i] = (u##W)(sa / sb);                                        \
    out[n * k++ + i] = (u##W)(sa % sb);                                        \
    out[n * k++ + i] = (u##W)(a / 7 + a % 10);                                 \
    out[n * k++ + i] = (u##W)(sa / 113);                                       \
    out[n * k++ + i] = (u##W)(sa % -64);                                       \
    out[n * k++ + i] = (u##W)(sa / 64);                                        \
    out[n * k++ + i] = (u##W)(a / divisor);                                    \
    out[n * k++ + i] = (u##W)(a % divisor);                                    \
    out[n * k++ + i] = (u##W)(divisor / b);                                    \
  }

//| for w, layout in (8, "B"), (16, "H"), (32, "I"), (64, "Q"):
//|     n = 200
//|     for divisor in 1, 37, 2 ** w - 2:
//|         launch(f"division_{w}",
//|                [inp(f"u{w}", 2 * n), out(f"u{w}", 11 * n),
//|                 val(layout, divisor), val("I", n)], block=128, grid=2)
DIVISION_KERNEL(8)
DIVISION_KERNEL(16)
DIVISION_KERNEL(32)
DIVISION_KERNEL(64)

//| launch("multiply_high", [inp("u64", 512), out("u64", 256 * 12)], block=256)
KERNEL(multiply_high, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 n = 256, i = global_linear(), k = 0;
  u64 a = in[i], b = in[n + i];
  s64 sa = (s64)a, sb = (s64)b;
  PUT((u64)((u128)a * b >> 64));
  PUT((u64)((s128)sa * sb >> 64));
  PUT((u64)((s128)sa * (s128)(u128)b >> 64));
  PUT((u64)(u32)a * (u32)b);
  PUT((s64)(s32)a * (s32)b);
  PUT((u32)((u64)(u32)a * (u32)b >> 32));
  PUT((u32)((s64)(s32)a * (s32)b >> 32));
  PUT((u64)(u32)a * (u32)b + b);
  PUT((u64)((s64)(s32)a * (s32)(b >> 32)) + a);
  PUT((u32)(a & 0xffffff) * (u32)(b & 0xffffff));
  PUT((u64)(a & 0xffffff) * (b & 0xffffff) >> 32);
  PUT((u32)(((s32)((u32)a << 8) >> 8) * (((s32)((u32)b << 16)) >> 16) / 2));
}

//| launch("bit_fields", [inp("u64", 384), out("u64", 192 * 24)], block=192)
KERNEL(bit_fields, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 n = 192, i = global_linear(), k = 0;
  u64 a = in[i], b = in[n + i];
  u32 x = (u32)a, y = (u32)b, offset = y & 31, width = y >> 8 & 31;
  PUT(x >> offset & ((1u << width) - 1));
  PUT((u32)((s32)(x << (31 - offset)) >> (31 - offset)));
  PUT((x >> 7) & 0x3ff);
  PUT((u32)((s32)(x << 9) >> 20));
  PUT((x & ~(((1u << width) - 1) << offset)) | (y << offset & x));
  PUT((x & y) | (~x & (u32)(a >> 32)));
  PUT((a >> 13 & 0xfffff) | b << 44);
  PUT((u64)((s64)(a << 11) >> 43));
  PUT(__builtin_bitreverse32(x));
  PUT(__builtin_bitreverse64(a));
  PUT(__builtin_bitreverse16((u16)x));
  PUT(__builtin_bitreverse8((u8)x));
  PUT(__builtin_bswap32(x));
  PUT(__builtin_bswap64(a));
  PUT(__builtin_bswap16((u16)x));
  PUT(__builtin_rotateleft32(x, y));
  PUT(__builtin_rotateright64(a, (u32)b));
  PUT(__builtin_rotateleft16((u16)x, (u16)y));
  PUT(__builtin_rotateleft8((u8)x, (u8)y));
  PUT((u64)x << 32 >> (y & 63) | (u64)y << (x & 31));
  PUT(__builtin_clrsb((int)x));
  PUT(__builtin_clrsbl((s64)b));
  PUT(__builtin_parity(x) + 2 * __builtin_parityl(a));
  PUT((x ^ y) & (y | ~x) & ((u32)(b >> 32) ^ x));
}

// Widths that no register has.
//| launch("odd_widths", [inp("u64", 256), out("u64", 128 * 14)], block=128)
KERNEL(odd_widths, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 n = 128, i = global_linear(), k = 0;
  u64 a = in[i], b = in[n + i];
  unsigned _BitInt(5) a5 = (unsigned _BitInt(5))a,
                      b5 = (unsigned _BitInt(5))b | 1;
  unsigned _BitInt(23) a23 = (unsigned _BitInt(23))a,
                       b23 = (unsigned _BitInt(23))b | 1;
  unsigned _BitInt(37) a37 = (unsigned _BitInt(37))a,
                       b37 = (unsigned _BitInt(37))b | 1;
  _BitInt(23) s23 = (_BitInt(23))a23;
  _BitInt(49) s49 = (_BitInt(49))a;
  unsigned _BitInt(96) a96 = (unsigned _BitInt(96))a << 32 | (u32)b;
  PUT((unsigned _BitInt(5))(a5 * b5));
  PUT(a5 / b5); // not % too: LLVM 22 cannot select a 16-bit udivrem
  PUT((unsigned _BitInt(23))(a23 + b23));
  PUT((unsigned _BitInt(23))(a23 * b23));
  PUT(a23 / b23);
  PUT((u64)(s64)(s23 >> 3));
  PUT((unsigned _BitInt(37))(a37 - b37));
  PUT((unsigned _BitInt(37))(a37 * b37));
  PUT(a37 % b37);
  PUT((unsigned _BitInt(37))(a37 << (b5 % 19)));
  PUT((u64)(s64)(s49 >> (b5 % 19)));
  PUT((u64)(a96 * (b | 1)));
  PUT((u64)(a96 >> 40));
  PUT((u64)(s64)(s23 < 0 ? -(s64)s23 : (s64)s23));
}

//| launch("wide_128", [inp("u64", 4 * 96), out("u64", 96 * 22)], block=96)
KERNEL(wide_128, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 n = 96, i = global_linear(), k = 0;
  u128 a = (u128)in[i] << 64 | in[n + i];
  u128 b = (u128)in[2 * n + i] << 64 | in[3 * n + i];
  s128 sa = (s128)a, sb = (s128)b;
  if (b == 0)
    b = 9, sb = 9;
  if (sb == -1)
    sb = 7;
#define PUT128(x) (PUT((u128)(x)), PUT((u128)(x) >> 64))
  PUT128(a + b);
  PUT128(a - b);
  PUT128(a * b);
  PUT128(a / b);
  PUT128(a % b);
  PUT128(sa / sb);
  PUT128(a << (u32)(b & 127));
  PUT128(a >> (u32)(b & 127));
  PUT128(sa >> (u32)(b & 127));
  PUT128(a < b ? a ^ b : a | b);
  PUT128(sa < sb ? 1 : sa == sb ? 2 : ~(u128)0);
}

// Three operands: minimum, maximum, median.
#define THREE(T)                                                               \
  KERNEL(three_##T, (GLOBAL const T *, in), (GLOBAL T *, out)) {               \
    u32 n = 192, i = global_linear(), k = 0;                                   \
    T a = in[i], b = in[n + i], c = in[2 * n + i];                             \
    T ab = a < b ? a : b, most = a > b ? a : b;                                \
    out[n * k++ + i] = ab < c ? ab : c;                                        \
    out[n * k++ + i] = most > c ? most : c;                                    \
    T inner = most < c ? most : c;                                             \
    out[n * k++ + i] = ab > inner ? ab : inner;                                \
    T limited = a < (T)3 ? (T)3 : a;                                           \
    out[n * k++ + i] = limited > (T)99 ? (T)99 : limited;                      \
    out[n * k++ + i] = (T)(a > b ? a - b : b - a);                             \
  }
//| for t in "u8", "u16", "u32", "u64", "s8", "s16", "s32":
//|     contents = "moderate" if t == "s32" else "any" # no difference overflows
//|     launch(f"three_{t}", [inp(t, 576, contents), out(t, 5 * 192)], block=192)
THREE(u8)
THREE(u16)
THREE(u32)
THREE(u64)
THREE(s8)
THREE(s16)
THREE(s32)
