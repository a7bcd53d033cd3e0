// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divergent control flow: lanes that branch, loop and leave on their own.
#include "kernel.h"

//| launch("nested_if", [inp("u32", 600), out("u32", 300), val("I", 300)], block=128, grid=3)
KERNEL(nested_if, (GLOBAL const u32 *, in), (GLOBAL u32 *, out), (u32, n)) {
  u32 i = global_linear();
  if (i >= n)
    return;
  u32 a = in[i], b = in[n + i], r = 1;
  if (a & 1) {
    r += b;
    if (a & 2) {
      r *= 3;
      if (b & 4)
        r ^= a >> 3;
      else if (b & 8)
        r -= 17;
    } else {
      r ^= 0x55;
    }
    if ((a ^ b) & 16)
      r = r << 3 | r >> 29;
  } else if (a & 4) {
    r = b / ((a & 63) + 1);
    if (r > 1000 && (b & 1))
      r %= 1000;
  } else {
    r = (a & 8) ? ((b & 8) ? a + b : a - b) : ((b & 16) ? a * b : ~a);
  }
  if ((a > b && (a & 32)) || (b > a && (b & 64) && !(a & 128)))
    r += 1000000007u;
  out[i] = r;
}

//| launch("collatz", [inp("u32", 500, "below:100000"), out("u32", 500), val("I", 500)],
//|        block=256, grid=2)
KERNEL(collatz, (GLOBAL const u32 *, in), (GLOBAL u32 *, out), (u32, n)) {
  u32 i = global_linear();
  if (i >= n)
    return;
  u64 x = in[i] + 1;
  u32 steps = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    steps++;
  }
  out[i] = steps;
}

//| launch("switch_dense", [inp("u32", 512), out("u32", 256), val("I", 9)], block=256)
KERNEL(switch_dense, (GLOBAL const u32 *, in), (GLOBAL u32 *, out),
       (u32, rounds)) {
  u32 i = global_linear(), x = in[i], y = in[256 + i];
  for (u32 j = 0; j < rounds; j++) {
    switch ((x >> j) & 15) {
    case 0:
      y += x;
      break;
    case 1:
      y ^= x << 3;
      break;
    case 2:
      y -= j;
      // fall through
    case 3:
      y *= 5;
      break;
    case 4:
      y = y >> 7 | x;
      break;
    case 5:
    case 6:
      y = ~y;
      break;
    case 7:
      y = y / 3;
      continue;
    case 8:
      y += 0x1234567;
      break;
    case 9:
      y = y % 1023;
      break;
    case 10:
      y ^= y >> 16;
      break;
    case 11:
      y = y << 1;
      break;
    default:
      y = y * 33 + x;
    }
    x = x * 1664525 + 1013904223;
  }
  out[i] = y;
}

//| launch("switch_sparse", [inp("s64", 300, "range:-6:12"), out("s64", 300)], block=100,
//|        grid=3)
KERNEL(switch_sparse, (GLOBAL const s64 *, in), (GLOBAL s64 *, out)) {
  u32 i = global_linear();
  s64 x = in[i] * in[i] * in[i], r;
  switch (x) {
  case -125:
    r = 1;
    break;
  case -1:
    r = x * 77;
    break;
  case 0:
    r = (s64)i;
    break;
  case 8:
    r = x << 40;
    break;
  case 343:
    r = -5;
    break;
  case 1000:
    r = x / 7;
    break;
  case 1331:
    r = x % 100;
    break;
  default:
    r = x - 1;
  }
  out[i] = r;
}

//| launch("break_continue", [inp("u32", 200), out("u32", 200), val("I", 200)], block=256)
KERNEL(break_continue, (GLOBAL const u32 *, in), (GLOBAL u32 *, out),
       (u32, n)) {
  u32 i = global_linear();
  if (i < n) {
    u32 x = in[i], sum = 0;
    for (u32 a = 0; a < 12; a++) {
      if ((x >> a & 3) == 3)
        continue;
      for (u32 b = a; b < 20; b++) {
        sum += a * b + (x & 7);
        if ((sum ^ x) % 29 == 0)
          break;
        u32 c = 0;
        do {
          if (c++ > (x >> b & 3))
            break;
          sum ^= c << a;
        } while (sum & 1);
        if (sum > 0xf0000000u)
          goto out_of_both;
      }
      if (sum % 17 == 5)
        break;
    }
  out_of_both:
    out[i] = sum;
  }
}

static u32 first_divisor(u32 x) {
  if (x < 4)
    return 1;
  for (u32 d = 2; d * d <= x; d++) {
    if (x % d == 0)
      return d;
  }
  return x;
}
//| launch("early_return", [inp("u32", 384, "below:3000"), out("u32", 384)], block=192,
//|        grid=2)
KERNEL(early_return, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear(), x = in[i];
  out[i] = 7;
  if (x < 30)
    return;
  u32 d = first_divisor(x);
  if (d == 2) {
    out[i] = x / 2;
    return;
  }
  out[i] = d;
  if (d == x)
    return;
  out[i] += first_divisor(x / d) * 1000;
}

// Two ways into the loop: the compiler must make it reducible.
//| launch("irreducible", [inp("u32", 128), out("u32", 128)], block=128)
KERNEL(irreducible, (GLOBAL const u32 *, in), (GLOBAL u32 *, out)) {
  u32 i = global_linear(), x = in[i], y = 0, left = (x >> 8 & 15) + 2;
  if (x & 1)
    goto middle;
top:
  y = y * 3 + x;
  if (y & 64)
    x ^= y;
middle:
  y += x >> 2;
  x = x * 69069 + 1;
  if (--left) {
    if (x & 0x10000)
      goto top;
    goto middle;
  }
  out[i] = y;
}

//| launch("short_circuit", [inp("s32", 3 * 256, "range:-3:4"),
//|        out("u32", 256), inp("s32", 7, "iota")], block=256)
KERNEL(short_circuit, (GLOBAL const s32 *, in), (GLOBAL u32 *, out),
       (GLOBAL const s32 *, table)) {
  u32 i = global_linear(), r = 0;
  s32 a = in[i], b = in[256 + i], c = in[512 + i];
  // The guard keeps the index inside the table.
  if (a >= 0 && table[a] == b)
    r |= 1;
  if (b < 0 || table[b] > c)
    r |= 2;
  if (c != 0 && a / c == 1)
    r |= 4;
  if ((a > 0) ^ (b > 0) && !(c > 0 && table[c] < a))
    r |= 8;
  s32 t = a > b ? (b > c ? c : a > c ? c - b : b) : (a && b) || c ? a + 9 : -9;
  out[i] = r + ((u32)t << 8);
}

// Bounds from the arguments: every wave takes the same turns.
//| launch("uniform_loops", [out("u32", 128), val("I", 13), val("I", 5), val("i", -4)],
//|        block=64, grid=2)
KERNEL(uniform_loops, (GLOBAL u32 *, out), (u32, outer), (u32, inner),
       (s32, from)) {
  u32 i = global_linear(), r = i;
  for (u32 a = 0; a < outer; a++) {
    if (a == inner)
      continue;
    for (s32 b = from; b < (s32)inner; b++) {
      r = r * 7 + (u32)(b * b);
      if (a * inner == 30 && b == 2)
        break;
    }
    if (outer - a == 3)
      r ^= group_id(0) * 0x01010101u;
  }
  out[i] = r;
}
