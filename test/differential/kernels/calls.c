// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that stay calls: arguments in registers and on the stack, recursion,
// function pointers.
#include "kernel.h"

NOINLINE static u32 gcd(u32 a, u32 b) {
  while (b) {
    u32 t = a % b;
    a = b;
    b = t;
  }
  return a;
}
NOINLINE static f64 polynomial(f64 x, f64 a, f64 b, f64 c) {
  return (a * x + b) * x + c;
}
NOINLINE static u64 many(u32 a, u64 b, u16 c, f32 d, s8 e, u64 f, u32 g, u32 h,
                         u32 i, u32 j, u32 k, u32 l, u32 m, u32 n, u32 o, u32 p,
                         u32 q, u32 r, u32 s, u32 t, u32 u, u32 v, u32 w, u32 x,
                         u32x4 y, u32 z, u32x8 last, u32 after) {
  return a + b * c + (u64)(d * 8.0f) + (u64)(s64)e + f * g - h + (i ^ j) * k +
         l % (m | 1) + (n << (o & 7)) + p + q * 3 + r * 5 + s * 7 + t * 11 +
         u * 13 + v * 17 + w * 19 + x * 23 + y.x + y.w * 2 + z + last.s0 +
         last.s7 * 3 + after;
}
//| launch("calls", [inp("u32", 256), inp("f64", 256, "moderate"), out("u64", 256),
//|        out("f64", 128)], block=128)
KERNEL(calls, (GLOBAL const u32 *, in), (GLOBAL const f64 *, numbers),
       (GLOBAL u64 *, out), (GLOBAL f64 *, values)) {
  u32 i = global_linear(), a = in[i], b = in[128 + i];
  u32 g = gcd(a, b);
  if (a & 1)
    g = gcd(g * 3, b ^ 5);
  out[i] = g;
  u32x8 last = {a, b, 1, 2, 3, 4, 5, g};
  out[128 + i] = many(a, b, (u16)a, (f32)(b & 0xff), (s8)a, g, 1, 2, 3, 4,
                      a >> 5, b >> 6, 7, a, b, 8, 9, a >> 1, 10, b >> 2, 11, 12,
                      a >> 3, 13, (u32x4){a, 1, 2, b}, 14, last, b >> 20);
  values[i] = polynomial(numbers[i], numbers[128 + i], 0.5,
                         polynomial(2, 1, 3, numbers[i]));
}

NOINLINE static u32 ackermann(u32 m, u32 n) {
  if (!m)
    return n + 1;
  return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}
NOINLINE static u32 is_odd(u32 n);
NOINLINE static u32 is_even(u32 n) { return n ? 1 + is_odd(n - 1) : 100; }
NOINLINE static u32 is_odd(u32 n) { return n ? 2 + is_even(n - 1) : 200; }
//| launch("recursion", [inp("u32", 64, "below:5"), out("u32", 128)], block=64)
KERNEL(recursion, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear();
  out[i] = ackermann(in[i] % 3, in[i]);
  out[64 + i] = is_even(in[i] * 3 + i % 7);
}

NOINLINE static u32 op_add(u32 a, u32 b) { return a + b; }
NOINLINE static u32 op_mix(u32 a, u32 b) { return a * 31 ^ b >> 3; }
NOINLINE static u32 op_rotate(u32 a, u32 b) {
  return __builtin_rotateleft32(a, b);
}
NOINLINE static u32 op_divide(u32 a, u32 b) { return b ? a / b : 77; }
typedef u32 operation(u32, u32);
//| launch("function_pointers", [inp("u32", 256), out("u32", 128), val("I", 2)], block=128)
KERNEL(function_pointers, (GLOBAL const u32 *, in), (GLOBAL u32 *, out),
       (u32, uniform)) {
  u32 i = global_linear(), a = in[i], b = in[128 + i];
  operation *chosen =
      a & 1 ? (a & 2 ? op_add : op_mix) : (a & 4 ? op_rotate : op_divide);
  u32 r = chosen(a, b);
  operation *table[4] = {op_divide, op_add, op_rotate, op_mix};
  r = table[b % 4](r, a);
  operation *same = uniform == 2 ? op_mix : op_add;
  out[i] = same(r, b);
}

NOINLINE static u32x3 split(u64 x) {
  return (u32x3){(u32)x, (u32)(x >> 32), (u32)(x >> 16)};
}
struct large {
  u32 word[20];
};
NOINLINE static struct large spread(u32 x, struct large in) {
  struct large r;
  for (u32 j = 0; j < 20; j++)
    r.word[j] = in.word[(j + x) % 20] * (x | 1) + j;
  return r;
}
NOINLINE static void exchange(u32 *a, u32 *b) {
  u32 t = *a;
  *a = *b * 3;
  *b = t;
}
//| launch("aggregates", [inp("u64", 64), out("u32", 64 * 5)], block=64)
KERNEL(aggregates, (GLOBAL const u64 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear();
  u32x3 s = split(in[i]);
  struct large l = {{s.x, s.y, s.z}};
  l = spread(s.y & 31, l);
  l = spread(s.x & 15, l);
  u32 a = s.x, b = s.z;
  exchange(&a, &b);
  exchange(&l.word[i % 20], &b);
  out[5 * i] = s.x + s.y + s.z;
  out[5 * i + 1] = a;
  out[5 * i + 2] = b;
  out[5 * i + 3] = l.word[i % 20];
  out[5 * i + 4] = l.word[19] ^ l.word[0] ^ l.word[7];
}
