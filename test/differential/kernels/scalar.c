// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are the same in a whole workgroup: the scalar unit computes
// them.
#include "kernel.h"

//| for size in 1, 64, 50: # one wave: its lanes all write the same words
//|     launch("scalar_32", [inp("u32", 32), out("u32", 4 * 40), val("I", 0x91e10da5),
//|            val("i", -77)], grid=4, block=size)
KERNEL(scalar_32, (GLOBAL const u32 *, in), (GLOBAL u32 *, out), (u32, p),
       (s32, q)) {
  u32 g = group_id(0), a = in[g], b = in[g + 8] | 1, r = p ^ g, k = 0;
  s32 sa = (s32)in[g + 16], sb = (s32)(in[g + 20] & 0xffff) + 1;
  GLOBAL u32 *to = out + 40 * g;
#define SAVE(x)                                                                \
  do {                                                                         \
    r = r * 31 + (u32)(x);                                                     \
    to[k++] = (u32)(x);                                                        \
  } while (0)
  SAVE(a + p);
  SAVE(a - p);
  SAVE(a * p);
  SAVE(a / b);
  SAVE(a % b);
  SAVE(sa / sb);
  SAVE(sa % sb);
  SAVE(a << (p & 31));
  SAVE(a >> (b & 31));
  SAVE(sa >> (b & 31));
  SAVE((u32)((u64)a * p >> 32));
  SAVE((u32)((s64)sa * q >> 32));
  SAVE(a < p ? a : p);
  SAVE(sa < q ? sa : q);
  SAVE(sa > q ? sa : q);
  SAVE(a > p ? a : p);
  SAVE(sa < 0 ? 0u - (u32)sa : (u32)sa);
  SAVE(__builtin_popcount(a));
  SAVE(__builtin_clzg(a, 32));
  SAVE(__builtin_ctzg(a, 32));
  SAVE(__builtin_bitreverse32(a));
  SAVE(a >> 5 & 0x7ff);
  SAVE((s32)(a << 6) >> 17);
  SAVE(~(a & b));
  SAVE(~(a | b));
  SAVE(~(a ^ b));
  SAVE(a & ~b);
  SAVE(a | ~b);
  SAVE((a & 0xffff) | b << 16);
  SAVE((a >> 16) | (b & 0xffff0000u));
  SAVE((a << 1) + b);
  SAVE((a << 4) + b);
  SAVE(a > b ? a - b : b - a);
  SAVE(((u32)(s8)a) + ((u32)(s16)b));
  SAVE((1u << (a & 15)) | (1u << (b & 31)));
  SAVE(a & (1u << (b & 31)) ? 7 : 9);
  u32 loop = 0;
  for (u32 j = 0; j < (p & 7) + g; j++)
    loop = loop * 5 + j + (loop >> 3);
  SAVE(loop);
  SAVE(a == b ? q : sa != q ? 5 : 6);
  SAVE(r);
  SAVE(__builtin_rotateleft32(a, b));
}

//| for size in 1, 64, 50: # one wave: its lanes all write the same words
//|     launch("scalar_64", [inp("u64", 16), out("u64", 4 * 30),
//|            val("Q", 0x91e10da5c3b7a9d1), val("q", -7777777777)], grid=4, block=size)
KERNEL(scalar_64, (GLOBAL const u64 *, in), (GLOBAL u64 *, out), (u64, p),
       (s64, q)) {
  u32 g = group_id(0), k = 0;
  u64 a = in[g], b = in[g + 4] | 1;
  s64 sa = (s64)in[g + 8], sb = (s64)(in[g + 12] >> 20) + 1;
  GLOBAL u64 *to = out + 30 * g;
#define SAVE64(x) (to[k++] = (u64)(x))
  SAVE64(a + p);
  SAVE64(a - p);
  SAVE64(a * p);
  SAVE64(a / b);
  SAVE64(a % b);
  SAVE64(sa / sb);
  SAVE64(sa % sb);
  SAVE64(a << (p & 63));
  SAVE64(a >> (b & 63));
  SAVE64(sa >> (b & 63));
  SAVE64((u64)((u128)a * p >> 64));
  SAVE64((u64)((s128)sa * q >> 64));
  SAVE64(a < p ? a : p);
  SAVE64(sa < q ? sa : q);
  SAVE64(sa < 0 ? 0ul - (u64)sa : (u64)sa);
  SAVE64(__builtin_popcountl(a));
  SAVE64(__builtin_clzg(a, 64));
  SAVE64(__builtin_ctzg(a, 64));
  SAVE64(__builtin_bitreverse64(a));
  SAVE64(a >> 5 & 0x7ffffff);
  SAVE64((s64)(a << 6) >> 37);
  SAVE64(~(a & b));
  SAVE64(~(a | b));
  SAVE64(~(a ^ b));
  SAVE64(a & ~b);
  SAVE64(a | ~b);
  SAVE64((s64)(s32)a);
  SAVE64((1ul << (a & 63)) ^ (b & 15));
  SAVE64(a & (1ul << (b & 63)) ? p : b);
  SAVE64(a == b ? 3 : sa >= q ? 5 : 6);
}

// Limbs with carries, the same in a workgroup and different in each lane.
static void wide_sums(GLOBAL const u64 *a, GLOBAL const u64 *b,
                      GLOBAL u64 *to) {
  u64 carry = 0, borrow = 0, high = 0;
  for (u32 j = 0; j < 4; j++) {
    to[j] = __builtin_addcl(a[j], b[j], carry, &carry);
    to[4 + j] = __builtin_subcl(a[j], b[j], borrow, &borrow);
    u128 product = (u128)a[j] * b[0] + high;
    to[8 + j] = (u64)product;
    high = (u64)(product >> 64);
  }
  to[12] = carry | borrow << 1;
  u128 x = (u128)a[3] << 64 | a[2], y = (u128)b[3] << 64 | b[2];
  to[13] = (u64)((x + y) >> (u32)(b[1] % 100)) ^ (u64)((x - y) >> 64) ^ (x < y);
}
//| launch("limbs_scalar", [inp("u64", 8 * 24), out("u64", 14 * 24)], block=1, grid=24)
KERNEL(limbs_scalar, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 g = group_id(0);
  wide_sums(in + 8 * g, in + 8 * g + 4, out + 14 * g);
}
//| launch("limbs_vector", [inp("u64", 8 * 128), out("u64", 14 * 128)], block=128)
KERNEL(limbs_vector, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 i = global_linear();
  wide_sums(in + 8 * i, in + 8 * i + 4, out + 14 * i);
}

// One bit of a scalar decides, at every place.
#define TEST(n)                                                                \
  to[n] = a & (1u << n) ? g + 3 : n * 7;                                       \
  to[32 + n] = !(b & (1u << n)) ? a >> 3 : n;                                  \
  to[64 + n] = c & (1ul << n) ? (u32)c : g;                                    \
  to[96 + n] = !(c & (1ul << (63 - n))) ? n : a + 1;                           \
  if (b & (1u << n))                                                           \
    sum = sum * 5 + n;
//| launch("scalar_bits", [inp("u32", 32), inp("u64", 16), out("u32", 16 * 129)], block=1,
//|        grid=16)
KERNEL(scalar_bits, (GLOBAL const u32 *, in), (GLOBAL const u64 *, in64),
       (GLOBAL u32 *, out)) {
  u32 g = group_id(0), a = in[g], b = in[16 + g], sum = 0;
  u64 c = in64[g];
  GLOBAL u32 *to = out + 129 * g;
  TEST(0)
  TEST(1)
  TEST(2)
  TEST(7)
  TEST(8)
  TEST(14)
  TEST(15)
  TEST(16)
  TEST(17)
  TEST(23)
  TEST(24)
  TEST(29)
  TEST(30)
  TEST(31)
  to[128] = sum;
}

// Flags among the arguments guard whole pieces of a kernel.
//| for flags in 0x08140800, 0x80012001, 0x7feb97fe, 0:
//|     launch("flags", [inp("u32", 64), both("u32", 640, "zero"), val("I", flags),
//|            val("Q", flags << 20 | 5)])
#define FLAG(n, place)                                                         \
  if (flags & (1u << n))                                                       \
    out[64 * place + l] = in[l] * (n + 3);
KERNEL(flags, (GLOBAL const u32 *, in), (GLOBAL u32 *, out), (u32, flags),
       (u64, wide)) {
  u32 l = local_id(0);
  FLAG(0, 0)
  FLAG(11, 1)
  FLAG(13, 2)
  FLAG(16, 3)
  FLAG(20, 4)
  FLAG(31, 5)
  if (!(flags & (1u << 27)))
    out[384 + l] = in[l] * 5;
  if (!(flags & (1u << 18)))
    out[448 + l] = in[l] >> 5;
  if (wide & (1ul << 40))
    out[512 + l] = in[l] ^ 7;
  if (!(wide & (1ul << 51)))
    out[576 + l] = ~in[l];
}
