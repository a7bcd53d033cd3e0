// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between every pair of types. Values outside the range of an
// integer type are put inside first: C leaves those conversions undefined.
#include "kernel.h"

// x, or its nearest value that converts to an integer in [low, high]; both
// bounds are powers of two or 0. High is exclusive.
#define WITHIN(x, low, high)                                                   \
  ((x) >= (low) && (x) < (high) ? (x) : (x) < (low) ? (low) : (high) / 2)

#define FLOAT_TO_INTEGERS(T, TOP)                                              \
  KERNEL(integers_from_##T, (GLOBAL const T *, in), (GLOBAL u64 *, out),       \
         (u32, n)) {                                                           \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T x = in[i];                                                               \
    if (x != x)                                                                \
      x = (T)-1.75;                                                            \
    out[n * k++ + i] = (u64)(s64)(s8)WITHIN(x, (T)-128, (T)128);               \
    out[n * k++ + i] = (u8)WITHIN(x, (T)0, (T)256);                            \
    out[n * k++ + i] = (u64)(s64)(s16)WITHIN(x, (T)-32768, (T)32768);          \
    out[n * k++ + i] = (u16)WITHIN(x, (T)0, (T)TOP(0x1p16));                   \
    out[n * k++ + i] = (u64)(s64)(s32)WITHIN(x, TOP(-0x1p31), TOP(0x1p31));    \
    out[n * k++ + i] = (u32)WITHIN(x, (T)0, TOP(0x1p32));                      \
    out[n * k++ + i] = (u64)(s64)WITHIN(x, TOP(-0x1p63), TOP(0x1p63));         \
    out[n * k++ + i] = (u64)WITHIN(x, (T)0, TOP(0x1p64));                      \
    out[n * k++ + i] = x ? 1 : 0;                                              \
    T near = WITHIN(x, (T)-100, (T)128);                                       \
    out[n * k++ + i] = (u64)(s64)(s32)__builtin_elementwise_floor(near);       \
    out[n * k++ + i] = (u64)(s64)(s32)__builtin_elementwise_rint(near);        \
    out[n * k++ + i] = (u64)(s64)(s32)__builtin_elementwise_ceil(near * 3);    \
    out[n * k++ + i] = (u64)(s64)(s32)(near + (T)0.5);                         \
  }
#define HALF_TOP(x) ((f16)((x) > 0 ? 32768.0 : -32768.0))
#define EXACT_TOP(x) (x)

//| for t in "f16", "f32", "f64", "bf16":
//|     launch(f"integers_from_{t}", [inp(t, 400), out("u64", 13 * 400), val("I", 400)],
//|            block=256, grid=2)
FLOAT_TO_INTEGERS(f16, HALF_TOP)
FLOAT_TO_INTEGERS(f32, EXACT_TOP)
FLOAT_TO_INTEGERS(f64, EXACT_TOP)

// bf16 by way of f32, which holds each of its values.
KERNEL(integers_from_bf16, (GLOBAL const bf16 *, in), (GLOBAL u64 *, out),
       (u32, n)) {
  u32 i = global_linear(), k = 0;
  if (i >= n)
    return;
  f32 x = (f32)in[i];
  if (x != x)
    x = -1.75f;
  out[n * k++ + i] = (u64)(s64)(s8)WITHIN(x, -128, 128);
  out[n * k++ + i] = (u8)WITHIN(x, 0, 256);
  out[n * k++ + i] = (u64)(s64)(s16)WITHIN(x, -32768, 32768);
  out[n * k++ + i] = (u16)WITHIN(x, 0, 65536);
  out[n * k++ + i] = (u64)(s64)(s32)(bf16)WITHIN(x, -0x1p31f, 0x1p30f);
  out[n * k++ + i] = (u32)WITHIN(x, 0, 0x1p32f);
  out[n * k++ + i] = (u64)(s64)WITHIN(x, -0x1p63f, 0x1p63f);
  out[n * k++ + i] = (u64)WITHIN(x, 0, 0x1p64f);
  for (; k < 13; k++)
    out[n * k + i] = 0;
}

#define INTEGER_TO_FLOATS(W)                                                   \
  KERNEL(floats_from_##W, (GLOBAL const u##W *, in), (GLOBAL f32 *, out32),    \
         (GLOBAL f64 *, out64), (GLOBAL f16 *, out16), (u32, n)) {             \
    u32 i = global_linear();                                                   \
    if (i >= n)                                                                \
      return;                                                                  \
    u##W x = in[i];                                                            \
    out32[i] = (f32)x;                                                         \
    out32[n + i] = (f32)(s##W)x;                                               \
    out64[i] = (f64)x;                                                         \
    out64[n + i] = (f64)(s##W)x;                                               \
    out16[i] = (f16)(u##W)(x & 2047);                                          \
    out16[n + i] = (f16)(s##W)((s##W)(x & 2047) - (s##W)99);                   \
    out32[2 * n + i] = (f32)(u8)x + (f32)(u8)(x >> (W - 8));                   \
    out32[3 * n + i] = (f32)(x > 77);                                          \
  }
//| for w in 8, 16, 32, 64:
//|     launch(f"floats_from_{w}", [inp(f"u{w}", 500), out("f32", 2000), out("f64", 1000),
//|            out("f16", 1000), val("I", 500)], block=128, grid=4)
INTEGER_TO_FLOATS(8)
INTEGER_TO_FLOATS(16)
INTEGER_TO_FLOATS(32)
INTEGER_TO_FLOATS(64)

//| launch("integers_from_integers", [inp("u64", 256), out("u64", 256 * 14)], block=256)
KERNEL(integers_from_integers, (GLOBAL const u64 *, in), (GLOBAL u64 *, out)) {
  u32 n = 256, i = global_linear(), k = 0;
  u64 x = in[i];
#define PUT(v) (out[n * k++ + i] = (u64)(v))
  PUT((u8)x);
  PUT((s64)(s8)x);
  PUT((u16)x);
  PUT((s64)(s16)x);
  PUT((u32)x);
  PUT((s64)(s32)x);
  PUT((u16)(s16)(s8)x);
  PUT((u32)(s32)(s16)(x >> 16));
  PUT((u32)(s8)(x >> 8) + (u32)(u8)(x >> 24));
  PUT((s64)(s16)(x >> 48));
  PUT((u8)(x >> 56));
  PUT(x ? -1 : 0);
  PUT((u128)(s128)(s64)x >> 64);
  PUT((u64)(s64)(s32)(x >> 32) + (u32)x);
#undef PUT
}

//| for contents in "any", "bits":
//|     # a signalling NaN is a NaN as well: only its payload is open
//|     launch("floats_from_floats", [inp("f32", 1000, contents), inp("f64", 1000, contents),
//|            inp("f16", 1000, contents), inp("bf16", 1000, contents), out("f32", 4000),
//|            out("f64", 4000), out("f16", 4000), out("bf16", 4000)], block=250, grid=4)
KERNEL(floats_from_floats, (GLOBAL const f32 *, in32),
       (GLOBAL const f64 *, in64), (GLOBAL const f16 *, in16),
       (GLOBAL const bf16 *, inb), (GLOBAL f32 *, out32), (GLOBAL f64 *, out64),
       (GLOBAL f16 *, out16), (GLOBAL bf16 *, outb)) {
  u32 n = 1000, i = global_linear();
  f32 s = in32[i];
  f64 d = in64[i];
  f16 h = in16[i];
  bf16 b = inb[i];
  out32[i] = (f32)d;
  out32[n + i] = (f32)h;
  out32[2 * n + i] = (f32)b;
  out32[3 * n + i] = (f32)(f16)s;
  out64[i] = (f64)s;
  out64[n + i] = (f64)h;
  out64[2 * n + i] = (f64)b;
  out64[3 * n + i] = (f64)(f32)d;
  out16[i] = (f16)s;
  out16[n + i] = (f16)d;
  out16[2 * n + i] = (f16)(f32)b;
  out16[3 * n + i] = (f16)(s + (f32)h);
  outb[i] = (bf16)s;
  outb[n + i] = (bf16)d;
  outb[2 * n + i] = (bf16)(f32)h;
  outb[3 * n + i] = (bf16)(s * (f32)b);
}
