// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating point that IEEE 754 defines to the bit: one rounding an operation,
// denormals kept, any NaN for a NaN.
#include "kernel.h"

#define PUT(x) (out[n * k++ + i] = (x))

#define FLOAT_ARITHMETIC(T)                                                    \
  KERNEL(arithmetic_##T, (GLOBAL const T *, in), (GLOBAL T *, out),            \
         (T, scalar), (u32, n)) {                                              \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T a = in[i], b = in[n + i], c = in[2 * n + i];                             \
    PUT(a + b);                                                                \
    PUT(a - b);                                                                \
    PUT(a *b);                                                                 \
    PUT(-a *b);                                                                \
    PUT(a + scalar);                                                           \
    PUT(scalar - b);                                                           \
    PUT(scalar *c);                                                            \
    PUT(a *b + c);                                                             \
    PUT(a *b - c * a);                                                         \
    PUT(a + (T)1.0);                                                           \
    PUT((T)0.5 * b);                                                           \
    PUT((T)-2.0 * c);                                                          \
    PUT((a + b) + c);                                                          \
    PUT((a - b) * (b - c));                                                    \
    PUT(a - a);                                                                \
    PUT(a *(T)0.1);                                                            \
  }

//| for t, fmt in ("f16", "e"), ("f32", "f"), ("f64", "d"):
//|     n = 250
//|     launch(f"arithmetic_{t}", [inp(t, 3 * n), out(t, 16 * n),
//|            val(fmt, 1.75), val("I", n)], block=128, grid=2)
//| launch("arithmetic_bf16", [inp("bf16", 3 * n), out("bf16", 16 * n),
//|        val("H", 0x3fe0), val("I", n)], block=128, grid=2)
FLOAT_ARITHMETIC(f16)
FLOAT_ARITHMETIC(f32)
FLOAT_ARITHMETIC(f64)
FLOAT_ARITHMETIC(bf16)

// The correctly rounded sequences of the compiler.
#define FLOAT_DIVISION(T)                                                      \
  KERNEL(division_##T, (GLOBAL const T *, in), (GLOBAL T *, out), (T, scalar), \
         (u32, n)) {                                                           \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T a = in[i], b = in[n + i];                                                \
    PUT(a / b);                                                                \
    PUT(b / a);                                                                \
    PUT((T)1.0 / b);                                                           \
    PUT((T)-1.0 / a);                                                          \
    PUT(a / scalar);                                                           \
    PUT(scalar / b);                                                           \
    PUT(a / (T)3.0);                                                           \
    PUT(a / (T)8.0);                                                           \
    PUT(sqrt_##T(a));                                                          \
    PUT(sqrt_##T(b < 0 ? -b : b));                                             \
    PUT((T)1.0 / sqrt_##T(a));                                                 \
    PUT(a / sqrt_##T(b));                                                      \
  }

//| for t, fmt in ("f16", "e"), ("f32", "f"), ("f64", "d"):
//|     for contents in "any", "bits", "moderate":
//|         if contents != "bits" or t != "f16":
//|             launch(f"division_{t}", [inp(t, 1024, contents), out(t, 12 * 512),
//|                    val(fmt, 1.7), val("I", 512)], block=512)
FLOAT_DIVISION(f16)
FLOAT_DIVISION(f32)
FLOAT_DIVISION(f64)

#define FUSED(T)                                                               \
  KERNEL(fused_##T, (GLOBAL const T *, in), (GLOBAL T *, out), (T, scalar),    \
         (u32, n)) {                                                           \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T a = in[i], b = in[n + i], c = in[2 * n + i];                             \
    PUT(fma_##T(a, b, c));                                                     \
    PUT(fma_##T(-a, b, c));                                                    \
    PUT(fma_##T(a, b, -c));                                                    \
    PUT(fma_##T(a, scalar, c));                                                \
    PUT(fma_##T(a, a, scalar));                                                \
    PUT(fma_##T(a, b, -(a * b)));                                              \
    PUT(fma_##T(fma_##T(a, b, c), c, a));                                      \
    PUT(fma_##T(a, (T)0.25, b));                                               \
    PUT(fma_##T(c, (T)1.375, (T)7.0));                                         \
  }
//| for t, fmt in ("f16", "e"), ("f32", "f"), ("f64", "d"):
//|     launch(f"fused_{t}", [inp(t, 3 * 300), out(t, 9 * 300),
//|            val(fmt, -0.3), val("I", 300)], block=320)
FUSED(f16)
FUSED(f32)
FUSED(f64)

// Every relation, one bit each, and the class of a number.
#define RELATIONS(T, U, W)                                                     \
  KERNEL(relations_##T, (GLOBAL const T *, in), (GLOBAL u32 *, out),           \
         (T, scalar), (u32, n)) {                                              \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T a = in[i], b = i % 5 ? in[n + i] : a;                                    \
    PUT((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 |               \
        (a == b) << 4 | (a != b) << 5);                                        \
    PUT(!(a < b) | !(a <= b) << 1 | !(a > b) << 2 | !(a >= b) << 3);           \
    PUT((u32)__builtin_isunordered(a, b) |                                     \
        (u32)__builtin_islessgreater(a, b) << 1 |                              \
        (u32)__builtin_isgreaterequal(a, b) << 2);                             \
    PUT((u32)__builtin_isnan(a) | (u32)__builtin_isinf(a) << 1 |               \
        (u32)__builtin_isfinite(b) << 2 | (u32)__builtin_isnormal(b) << 3 |    \
        (u32)(__builtin_signbit(a) != 0) << 4);                                \
    PUT((u32)__builtin_isfpclass(a, 0x0f0) |                                   \
        (u32)__builtin_isfpclass(b, 0x2a3) << 1);                              \
    PUT((a < scalar) | (scalar <= b) << 1 | (a == (T)0) << 2 |                 \
        (b > (T)1) << 3);                                                      \
    if (a < b)                                                                 \
      PUT(1);                                                                  \
    else if (a > b)                                                            \
      PUT(2);                                                                  \
    else if (a == b)                                                           \
      PUT(3);                                                                  \
    else                                                                       \
      PUT(4);                                                                  \
    PUT((u32)BITCAST(U, a < b ? a : b));                                       \
    PUT((u32)(BITCAST(U, -a) >> (W - 9)));                                     \
    PUT((u32)(BITCAST(U, a) & ((U)1 << (W - 1))) |                             \
        (u32)(BITCAST(U, b < 0 ? -b : b) >> (W / 2)));                         \
  }
//| for t, fmt in ("f16", "e"), ("f32", "f"), ("f64", "d"):
//|     launch(f"relations_{t}", [inp(t, 2 * 500), out("u32", 10 * 500),
//|            val(fmt, 1.0), val("I", 500)], block=256, grid=2)
//| launch("relations_bf16", [inp("bf16", 2 * 500), out("u32", 10 * 500),
//|        val("H", 0x3f80), val("I", 500)], block=256, grid=2)
RELATIONS(f16, u16, 16)
RELATIONS(f32, u32, 32)
RELATIONS(f64, u64, 64)
RELATIONS(bf16, u16, 16)

// C leaves the sign of a zero open here: + 0 makes it positive.
#define MIN_MAX(T)                                                             \
  KERNEL(min_max_##T, (GLOBAL const T *, in), (GLOBAL T *, out), (u32, n)) {   \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T a = in[i], b = in[n + i], c = in[2 * n + i], zero = (T)0;                \
    PUT(min_##T(a, b) + zero);                                                 \
    PUT(max_##T(a, b) + zero);                                                 \
    PUT(min_##T(a, (T)1.0) + zero);                                            \
    PUT(max_##T((T)-0.5, b) + zero);                                           \
    PUT(min_##T(max_##T(a, (T)0.0), (T)1.0) + zero);                           \
    PUT(min_##T(max_##T(a, (T)-3.0), (T)4.0) + zero);                          \
    PUT(min_##T(min_##T(a, b), c) + zero);                                     \
    PUT(max_##T(max_##T(a, b), c) + zero);                                     \
    PUT(max_##T(min_##T(max_##T(a, b), c), min_##T(a, b)) + zero);             \
    PUT(a < b ? a : b);                                                        \
    PUT(a > b ? a : b);                                                        \
    PUT(a >= zero ? a : -a);                                                   \
    PUT(min_##T(-a, -b) + zero);                                               \
  }
//| for t in "f16", "f32", "f64":
//|     launch(f"min_max_{t}", [inp(t, 3 * 333), out(t, 13 * 333), val("I", 333)],
//|            block=192, grid=2)
MIN_MAX(f16)
MIN_MAX(f32)
MIN_MAX(f64)

// Rounding to whole numbers, remainders, exponents, signs.
#define ROUNDING(T, S)                                                         \
  KERNEL(rounding_##T, (GLOBAL const T *, in), (GLOBAL T *, out), (u32, n)) {  \
    u32 i = global_linear(), k = 0;                                            \
    if (i >= n)                                                                \
      return;                                                                  \
    T a = in[i], b = in[n + i];                                                \
    int e = 0;                                                                 \
    PUT(__builtin_floor##S(a));                                                \
    PUT(__builtin_ceil##S(a));                                                 \
    PUT(__builtin_trunc##S(a));                                                \
    PUT(__builtin_rint##S(a));                                                 \
    PUT(__builtin_elementwise_nearbyint(b));                                   \
    PUT(__builtin_roundeven##S(b));                                            \
    PUT(__builtin_round##S(a));                                                \
    PUT(__builtin_copysign##S(a, b));                                          \
    PUT(__builtin_fabs##S(a) + b);                                             \
    PUT(__builtin_ldexp##S(a, (int)i % 67 - 33));                              \
    if (a - a == 0) {                                                          \
      PUT(__builtin_frexp##S(a, &e));                                          \
      PUT((T)e);                                                               \
    }                                                                          \
  }
//| for t in "f16", "f32", "f64":
//|     launch(f"rounding_{t}", [inp(t, 2 * 400), out(t, 12 * 400), val("I", 400)],
//|            block=100, grid=4)
ROUNDING(f16, f16)
ROUNDING(f32, f)
ROUNDING(f64, )

//| launch("remainders", [inp("f32", 256), inp("f64", 256), out("f32", 128),
//|        out("f64", 128)], block=128)
//| launch("remainders", [inp("f32", 256, "moderate"), inp("f64", 256, "moderate"),
//|        out("f32", 128), out("f64", 128)], block=128)
KERNEL(remainders, (GLOBAL const f32 *, in), (GLOBAL const f64 *, in64),
       (GLOBAL f32 *, out), (GLOBAL f64 *, out64)) {
  u32 i = global_linear();
  out[i] = __builtin_fmodf(in[i], in[128 + i]);
  out64[i] = __builtin_fmod(in64[i], in64[128 + i]);
}

// Functions that IEEE 754 does not round: the OpenCL C specification allows
// exp, exp2, log, log2 and log10 3 ulp, rsqrt 2 ulp.
//| launch("elementary", [inp("f32", 256, "moderate"), out("f32", 6 * 256, ulps=3)],
//|        block=256)
KERNEL(elementary, (GLOBAL const f32 *, in), (GLOBAL f32 *, out)) {
  u32 n = 256, i = global_linear(), k = 0;
  f32 a = in[i], positive = __builtin_fabsf(a);
  PUT(__builtin_exp2f(a));
  PUT(__builtin_expf(a));
  PUT(__builtin_exp10f(a));
  PUT(__builtin_log2f(positive));
  PUT(__builtin_logf(positive));
  PUT(__builtin_log10f(positive));
}
