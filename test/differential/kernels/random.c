// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pseudo-random generators: long dependent chains of wide integer arithmetic.
#include "kernel.h"

//| launch("xorshift_pcg", [inp("u64", 128, "bits"), out("u64", 384)], block=128)
KERNEL(xorshift_pcg, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 i = global_linear();
  u32 x = (u32)in[i] | 1;
  u64 star = in[i] | 1, pcg = in[i], sum = 0;
  for (u32 j = 0; j < 50; j++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    star ^= star >> 12;
    star ^= star << 25;
    star ^= star >> 27;
    u64 old = pcg;
    pcg = old * 6364136223846793005ul + 1442695040888963407ul;
    u32 shifted = (u32)((old >> 18 ^ old) >> 27), turn = (u32)(old >> 59);
    sum += shifted >> turn | shifted << (-turn & 31);
  }
  out[i] = x;
  out[128 + i] = star * 0x2545f4914f6cdd1dul;
  out[256 + i] = sum;
}

//| launch("philox", [inp("u32", 256, "bits"), out("u32", 256)], block=64)
KERNEL(philox, (GLOBAL const u32x4 *, in), (GLOBAL u32x4 *, out)) {
  u32 i = global_linear();
  u32x4 c = in[i];
  u32 k0 = 0xcafef00d, k1 = i;
  for (u32 j = 0; j < 10; j++) {
    u64 a = (u64)c.x * 0xd2511f53u, b = (u64)c.z * 0xcd9e8d57u;
    c = (u32x4){(u32)(b >> 32) ^ c.y ^ k0, (u32)b, (u32)(a >> 32) ^ c.w ^ k1,
                (u32)a};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  out[i] = c;
}

//| launch("lcg_128", [inp("u64", 128, "bits"), out("u64", 128)], block=64)
KERNEL(lcg_128, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 i = global_linear();
  u128 x = (u128)in[2 * i] << 64 | in[2 * i + 1];
  for (u32 j = 0; j < 30; j++) {
    x = x * (((u128)0x2360ed051fc65da4 << 64) | 0x4385df649fccf645) +
        (((u128)0x5851f42d4c957f2d << 64) | 0x14057b7ef767814f);
    x ^= x >> (x >> 122);
  }
  out[2 * i] = (u64)x;
  out[2 * i + 1] = (u64)(x >> 64);
}

//| launch("mersenne", [inp("u32", 64, "bits"), out("u32", 64)], block=64)
KERNEL(mersenne, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  enum { N = 48, M = 19 };
  u32 i = global_linear(), t[N];
  t[0] = in[i];
  for (u32 j = 1; j < N; j++)
    t[j] = 1812433253u * (t[j - 1] ^ t[j - 1] >> 30) + j;
  for (u32 j = 0; j < N; j++) {
    u32 y = (t[j] & 0x80000000u) | (t[(j + 1) % N] & 0x7fffffffu);
    t[j] = t[(j + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  u32 y = t[in[i] % N];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  out[i] = y ^ y >> 18;
}

// Uniform and normal-like numbers by arithmetic that IEEE 754 rounds.
//| launch("random_floats", [inp("u64", 128, "bits"), out("f32", 128), out("f64", 128)],
//|        block=128)
KERNEL(random_floats, (GLOBAL const u64 *, in), (GLOBAL f32 *, out32),
       (GLOBAL f64 *, out64)) {
  u32 i = global_linear();
  u64 s = in[i];
  f32 sum = 0;
  f64 product = 1;
  for (u32 j = 0; j < 12; j++) {
    s = s * 6364136223846793005ul + 1442695040888963407ul;
    f32 u = (f32)(u32)(s >> 40) * 0x1p-24f;
    f64 v = (f64)(s >> 11) * 0x1p-53;
    sum += u - 0.5f;
    product *= 0.5 + v;
  }
  out32[i] = sum;
  out64[i] = sqrt_f64(product) / (1.0 + (f64)sum * (f64)sum);
}
