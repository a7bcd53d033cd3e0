// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small programs whose results depend on every rounding on the way.
#include "kernel.h"

#define MANDELBROT(T)                                                          \
  KERNEL(mandelbrot_##T, (GLOBAL u32 *, out), (T, x0), (T, y0), (T, step)) {   \
    u32 px = group_id(0) * local_size(0) + local_id(0);                        \
    u32 py = group_id(1) * local_size(1) + local_id(1);                        \
    T cx = x0 + (T)px * step, cy = y0 + (T)py * step, x = 0, y = 0;            \
    u32 turns = 0;                                                             \
    while (x * x + y * y <= (T)4 && turns < 60) {                              \
      T t = x * x - y * y + cx;                                                \
      y = (T)2 * x * y + cy;                                                   \
      x = t;                                                                   \
      turns++;                                                                 \
    }                                                                          \
    out[py * group_count(0) * local_size(0) + px] = turns;                     \
  }
//| for t, fmt in ("f32", "f"), ("f64", "d"), ("f16", "e"):
//|     launch(f"mandelbrot_{t}", [out("u32", 32 * 16), val(fmt, -2.0), val(fmt, -1.0),
//|            val(fmt, 0.09)], block=(16, 8), grid=(2, 2))
MANDELBROT(f16)
MANDELBROT(f32)
MANDELBROT(f64)

//| launch("n_body", [inp("f32", 64 * 4, "moderate"), out("f32", 64 * 4)], block=64)
KERNEL(n_body, (GLOBAL const f32x4 *, in), (GLOBAL f32x4 *, out)) {
  SHARED f32x4 all[64];
  u32 l = local_id(0);
  f32x4 me = in[l] * 0.01f, force = 0;
  all[l] = me;
  barrier();
  for (u32 j = 0; j < 64; j++) {
    f32x4 d = all[j] - me;
    f32 r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.25f;
    f32 inverse = 1.0f / sqrt_f32(r2);
    force += d * (all[j].w * inverse * inverse * inverse);
  }
  out[l] = me + force * 0.0625f;
}

// Radix-2 transform of 64 points in LDS; twiddles by recurrence.
//| launch("fourier", [inp("f32", 256, "moderate"), out("f32", 256)], block=32, grid=2)
KERNEL(fourier, (GLOBAL const f32x2 *, in), (GLOBAL f32x2 *, out)) {
  SHARED f32x2 t[64];
  u32 l = local_id(0), base = group_id(0) * 64;
  for (u32 j = l; j < 64; j += 32)
    t[__builtin_bitreverse32(j) >> 26] = in[base + j];
  barrier();
  f32x2 root = {-1, 0}; // exp(-2 pi i / size), by half angles
  for (u32 half = 1; half < 64; half *= 2) {
    u32 group = l / half, k = l % half, a = group * 2 * half + k, b = a + half;
    f32x2 w = {1, 0};
    for (u32 j = 0; j < k; j++)
      w = (f32x2){w.x * root.x - w.y * root.y, w.x * root.y + w.y * root.x};
    f32x2 u = t[a], v = t[b];
    v = (f32x2){v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x};
    t[a] = u + v;
    t[b] = u - v;
    barrier();
    f32 c = root.x > -1 ? sqrt_f32((1 + root.x) * 0.5f) : 0;
    root = (f32x2){c, -sqrt_f32((1 - root.x) * 0.5f)};
  }
  for (u32 j = l; j < 64; j += 32)
    out[base + j] = t[j];
}

//| launch("newton", [inp("f64", 128, "moderate"), out("f64", 384)], block=128)
KERNEL(newton, (GLOBAL const f64 *, in), (GLOBAL f64 *, out)) {
  u32 i = global_linear();
  f64 a = __builtin_fabs(in[i]), x = a > 1 ? a : 1, y = 1;
  u32 turns = 0;
  for (; turns < 60; turns++) { // cube root, until it stands still
    f64 next = (2 * x + a / (x * x)) / 3;
    if (next == x)
      break;
    x = next;
  }
  for (u32 j = 0; j < 20; j++)
    y = y - (y * y * y - 2 * y - a * 0.001) / (3 * y * y - 2 + 0.5);
  out[i] = x;
  out[128 + i] = y;
  out[256 + i] = turns;
}

// Compensated and naive sums.
//| launch("sums", [inp("f32", 64 * 33, "moderate"), inp("f16", 64 * 33, "unit"),
//|        out("f32", 128), out("f16", 64), out("bf16", 64)], block=64)
KERNEL(sums, (GLOBAL const f32 *, in), (GLOBAL const f16 *, halves),
       (GLOBAL f32 *, out), (GLOBAL f16 *, out16), (GLOBAL bf16 *, outb)) {
  u32 i = global_linear();
  f32 naive = 0, sum = 0, lost = 0;
  f16 h = 0;
  bf16 b = 0;
  for (u32 j = 0; j < 33; j++) {
    f32 x = in[j * 64 + i];
    naive += x;
    f32 y = x - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
    h += halves[j * 64 + i] * (f16)0.75;
    b += (bf16)x * (bf16)0.5f;
  }
  out[i] = naive;
  out[64 + i] = sum + lost;
  out16[i] = h;
  outb[i] = b;
}

// 512-bit multiplication, a row of words a work-item.
//| launch("big_multiply", [inp("u32", 64 * 32, "bits"), out("u32", 64 * 32)], block=64)
KERNEL(big_multiply, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  enum { WORDS = 16 };
  u32 i = global_linear(), r[2 * WORDS] = {0};
  GLOBAL const u32 *a = in + i * 32, *b = a + WORDS;
  for (u32 x = 0; x < WORDS; x++) {
    u32 carry = 0;
    for (u32 y = 0; y < WORDS; y++) {
      u64 t = (u64)a[x] * b[y] + r[x + y] + carry;
      r[x + y] = (u32)t;
      carry = (u32)(t >> 32);
    }
    r[x + WORDS] = carry;
  }
  for (u32 j = 0; j < 2 * WORDS; j++)
    out[i * 32 + j] = r[j];
}

//| launch("modular", [inp("u64", 256), out("u64", 384)], block=128)
KERNEL(modular, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 i = global_linear();
  u64 m = 0xffffffff00000001ul, base = in[i] % m, e = in[128 + i], r = 1;
  u32 p = 998244353, small = (u32)(in[i] % p), power = 1;
  for (u32 j = 0; j < 24; j++) {
    if (e >> j & 1) {
      r = (u64)((u128)r * base % m);
      power = (u32)((u64)power * small % p);
    }
    base = (u64)((u128)base * base % m);
    small = (u32)((u64)small * small % p);
  }
  out[i] = r;
  out[128 + i] = power;
  s64 a = (s64)(in[i] >> 2) + 1, b = (s64)(in[128 + i] >> 2) + 1, x = 1, y = 0;
  while (b) { // extended Euclid
    s64 q = a / b, t = a % b;
    a = b;
    b = t;
    t = (s64)((u64)x - (u64)q * (u64)y);
    x = y;
    y = t;
  }
  out[256 + i] = (u64)a ^ (u64)x;
}

//| launch("knapsack", [inp("u8", 64 * 24, "range:1:30"), out("u32", 64)], block=64)
KERNEL(knapsack, (GLOBAL const u8 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear();
  u16 best[65] = {0};
  for (u32 j = 0; j < 12; j++) {
    u32 weight = in[i * 24 + 2 * j], value = in[i * 24 + 2 * j + 1];
    for (u32 c = 64; c >= weight; c--)
      if (best[c - weight] + value > best[c])
        best[c] = (u16)(best[c - weight] + value);
  }
  u32 sum = 0;
  for (u32 c = 0; c <= 64; c++)
    sum = sum * 5 + best[c];
  out[i] = sum;
}

// A heap in private memory, then its elements in order.
//| launch("heap_sort", [inp("s32", 64 * 20), out("s32", 64 * 20)], block=64)
KERNEL(heap_sort, (GLOBAL const s32 *, in), (GLOBAL s32 *, out)) {
  enum { COUNT = 20 };
  u32 i = global_linear(), size = 0;
  s32 heap[COUNT];
  for (u32 j = 0; j < COUNT; j++) {
    u32 at = size++;
    heap[at] = in[i * COUNT + j];
    while (at && heap[(at - 1) / 2] > heap[at]) {
      s32 t = heap[at];
      heap[at] = heap[(at - 1) / 2];
      heap[(at - 1) / 2] = t;
      at = (at - 1) / 2;
    }
  }
  for (u32 j = 0; j < COUNT; j++) {
    out[i * COUNT + j] = heap[0];
    s32 x = heap[--size];
    u32 at = 0;
    for (;;) {
      u32 child = 2 * at + 1;
      if (child >= size)
        break;
      if (child + 1 < size && heap[child + 1] < heap[child])
        child++;
      if (heap[child] >= x)
        break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = x;
  }
}
