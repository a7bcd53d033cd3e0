// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address spaces: flat pointers, tables in constant memory, pointers in tables,
// accesses of every width and alignment.
#include "kernel.h"

NOINLINE static u32 sum_of(const u32 *p, u32 count) {
  u32 r = 0;
  for (u32 j = 0; j < count; j++)
    r = r * 3 + p[j];
  return r;
}
NOINLINE static void put_to(u32 *p, u32 value) { *p = value * 7; }
// One flat access reaches LDS, private and global memory, lane by lane.
//| launch("flat_pointers", [inp("u32", 512), both("u32", 128, "any"), out("u32", 256)],
//|        block=64, grid=2)
KERNEL(flat_pointers, (GLOBAL const u32 *, in), (GLOBAL u32 *, mixed),
       (GLOBAL u32 *, out)) {
  SHARED u32 tile[64];
  u32 l = local_id(0), i = global_linear(), own[4];
  tile[l] = in[i] * 5;
  for (u32 j = 0; j < 4; j++)
    own[j] = in[i + 128] + j;
  barrier();
  const u32 *p;
  switch (in[i] % 3) {
  case 0:
    p = (const u32 *)&in[i * 4 % 300];
    break;
  case 1:
    p = (const u32 *)&tile[l & 60];
    break;
  default:
    p = own;
  }
  out[i] = sum_of(p, 4) + p[i & 3];
  barrier();
  u32 *q = in[i] & 8    ? (u32 *)&mixed[i]
           : in[i] & 16 ? (u32 *)&tile[l]
                        : &own[l & 3];
  put_to(q, in[i]);
  *q += 3;
  out[128 + i] = tile[l] + own[0] + own[1] * 2 + own[2] * 3 + own[3] * 5;
}

//| launch("flat_widths", [inp("u8", 4096, "bits"), out("u64", 256), val("I", 1)], block=128)
KERNEL(flat_widths, (GLOBAL const u8 *, in), (GLOBAL u64 *, out), (u32, odd)) {
  SHARED u64 tile[512];
  u32 l = local_id(0);
  for (u32 j = 0; j < 4; j++)
    tile[l * 4 + j] = ((GLOBAL const u64 *)in)[l * 4 + j] ^ 0x5555;
  barrier();
  const char *base = (l ^ odd) & 1 ? (const char *)tile : (const char *)in;
  const char *p = base + l * 16;
  u64 r = *(const u8 *)(p + 3) + (u64) * (const s16 *)(p + 6) * 3;
  r += *(const u32 *)(p + 8) ^ *(const u64 *)p;
  u32x4 q = *(const u32x4 *)(p + 16);
  r = r * 31 + q.x + ((u64)q.w << 20) + (q.y ^ q.z);
  u32x3 t = *(const u32x3 *)(p + 32);
  out[l] = r + t.x * t.y + t.z;
  barrier();
  char *to = (l & 1) ? (char *)tile : (char *)out + 1024;
  to += l * 8;
  *(u8 *)to = (u8)r;
  *(u8 *)(to + 1) = (u8)(r >> 9);
  *(u16 *)(to + 2) = (u16)(r >> 5);
  *(u32 *)(to + 4) = (u32)(r >> 30);
  if (l & 1)
    out[128 + l] = tile[l];
}

static CONSTANT const f64 k_sines[17] = {0.0,
                                         0.0980171403295606,
                                         0.1950903220161283,
                                         0.2902846772544624,
                                         0.3826834323650898,
                                         0.4713967368259976,
                                         0.5555702330196022,
                                         0.6343932841636455,
                                         0.7071067811865475,
                                         0.773010453362737,
                                         0.8314696123025452,
                                         0.881921264348355,
                                         0.9238795325112867,
                                         0.9569403357322089,
                                         0.9807852804032304,
                                         0.9951847266721969,
                                         1.0};
static const u16 k_primes[16] = {2,  3,  5,  7,  11, 13, 17, 19,
                                 23, 29, 31, 37, 41, 43, 47, 53};
static const struct {
  u8 from, to;
  s32 weight;
  f32 factor;
} k_rows[5] = {{0, 9, -3, 0.5f},
               {10, 49, 7, 1.25f},
               {50, 99, 11, -2.0f},
               {100, 199, 1000000, 0.125f},
               {200, 255, -77, 3.0f}};
static const u32 k_long[3] = {100, 200, 300}, k_short[2] = {7, 8};
// Addresses in a table: the loader relocates them.
static const u32 *const k_tables[4] = {k_long, k_short, k_long + 1,
                                       k_short + 1};
//| launch("constant_tables", [inp("u8", 256, "bits"), out("f64", 256), out("u32", 256)],
//|        block=256)
KERNEL(constant_tables, (GLOBAL const u8 *, in), (GLOBAL f64 *, out),
       (GLOBAL u32 *, rows)) {
  u32 i = global_linear(), x = in[i];
  f64 step = (f64)(x & 15) * 0.0625, low = k_sines[x >> 4],
      high = k_sines[(x >> 4) + 1];
  out[i] = low + (high - low) * step + k_sines[group_id(0) + 3];
  u32 r = k_primes[x & 15] * k_primes[x >> 4];
  for (u32 j = 0; j < 5; j++)
    if (x >= k_rows[j].from && x <= k_rows[j].to)
      r += (u32)k_rows[j].weight + (u32)(s32)(k_rows[j].factor * 8.0f);
  rows[i] = r + k_tables[x & 3][x >> 7 & 1 & ~x];
}

// Loads and stores of every width, sign extended or not, at odd places.
//| launch("widths", [inp("u8", 4096, "bits"), out("u8", 4096), out("u64", 128)], block=64)
KERNEL(widths, (GLOBAL const u8 *, in), (GLOBAL u8 *, out),
       (GLOBAL u64 *, sums)) {
  u32 i = global_linear();
  GLOBAL const u8 *p = in + i * 64;
  GLOBAL u8 *q = out + i * 64;
  s64 r = (s64) * (GLOBAL const s8 *)(p + 1) + *(GLOBAL const u8 *)(p + 2);
  r += *(GLOBAL const s16 *)(p + 4) * 3 + *(GLOBAL const u16 *)(p + 6);
  r += *(GLOBAL const s32 *)(p + 8);
  r ^= *(GLOBAL const s64 *)(p + 16);
  u32x3 three = *(GLOBAL const u32x3 *)(p + 32);
  u32x4 four = *(GLOBAL const u32x4 *)(p + 48);
  typedef struct __attribute__((packed)) {
    u8 skip;
    u32 a;
    u64 b;
    u16 c;
  } odd;
  GLOBAL const odd *o = (GLOBAL const odd *)(p + 40 + (i & 3));
  u64 u = o->a + o->b * 3 + o->c;
  *(GLOBAL u8 *)(q) = (u8)r;
  *(GLOBAL u16 *)(q + 2) = (u16)(r >> 3);
  *(GLOBAL u32 *)(q + 4) = (u32)u;
  *(GLOBAL u64 *)(q + 8) = u * 5;
  *(GLOBAL u32x3 *)(q + 16) = three + four.xyz;
  *(GLOBAL u32 *)(q + 28) = 5; // what a vector of three pads is open
  *(GLOBAL u32x4 *)(q + 32) = four.wzyx;
  GLOBAL odd *w = (GLOBAL odd *)(q + 48);
  w->a = (u32)r;
  w->b = u;
  w->c = 0x1234;
  sums[i] = (u64)r + u;
  sums[64 + i] = three.x + three.z;
}

//| launch("lds_widths", [inp("u64", 256, "bits"), out("u64", 64 * 8)], block=64)
KERNEL(lds_widths, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  SHARED u64 t[264];
  u32 l = local_id(0);
  for (u32 j = 0; j < 4; j++)
    t[l + 64 * j] = in[l + 64 * j];
  barrier();
  LOCAL u8 *b = (LOCAL u8 *)t;
  u64 r = b[l * 3] + (u64)(s64)(s8)b[l + 700] * 7;
  r += ((LOCAL u16 *)t)[l * 5] + (u64)(s64)((LOCAL s16 *)t)[l];
  r ^= ((LOCAL u32 *)t)[l * 7 + 2];
  u32x4 q = ((LOCAL u32x4 *)t)[l ^ 5];
  u32x2 a = ((LOCAL u32x2 *)t)[l], c = ((LOCAL u32x2 *)t)[l + 64];
  u64 x = t[l], y = t[l + 128]; // one read of two places
  barrier();
  t[l] = r;
  t[l + 64] = x ^ y;
  ((LOCAL u32x4 *)t)[64 + l] = q.yxwz;
  b[2048 + l] = (u8)a.x;
  barrier();
  out[l] = t[63 - l] + b[2111 - l];
  out[64 + l] = t[64 + (l * 3) % 64];
  out[128 + l] = t[128 + l];
  out[192 + l] = t[192 + l];
  out[256 + l] = (u64)a.y << 32 | c.x;
  out[320 + l] = ((LOCAL u16 *)t)[l * 4 + 1] + ((LOCAL s16 *)t)[l * 4 + 3];
  typedef u64 __attribute__((aligned(4))) loose;
  out[384 + l] = *(LOCAL loose *)(b + 4 + l * 8);
  out[448 + l] = r;
}
