// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector types, which the compiler packs where gfx950 has packed forms.
#include "kernel.h"

#define INTEGER_VECTORS(V, E, W, N)                                            \
  KERNEL(integers_##V, (GLOBAL const V *, in), (GLOBAL V *, out)) {            \
    u32 n = 64, i = global_linear(), k = 0;                                    \
    V a = in[i], b = in[n + i], c = in[2 * n + i], shift = b & (E)(W - 1);     \
    out[n * k++ + i] = a + b;                                                  \
    out[n * k++ + i] = a - b * c;                                              \
    out[n * k++ + i] = a * b + c;                                              \
    out[n * k++ + i] = (a & b) | (~a & c);                                     \
    out[n * k++ + i] = a << shift;                                             \
    out[n * k++ + i] = a >> shift;                                             \
    out[n * k++ + i] = a / (b | (E)1);                                         \
    out[n * k++ + i] = __builtin_elementwise_min(a, b);                        \
    out[n * k++ + i] = __builtin_elementwise_max(a, c);                        \
    out[n * k++ + i] = __builtin_elementwise_add_sat(a, b);                    \
    out[n * k++ + i] = __builtin_elementwise_sub_sat(a, b);                    \
    out[n * k++ + i] = (V)(a > b) & c;                                         \
    out[n * k++ + i] = a == b ? a : c;                                         \
    out[n * k++ + i] = __builtin_elementwise_popcount(a);                      \
    out[n * k++ + i] = __builtin_elementwise_bitreverse(b);                    \
    V t = a;                                                                   \
    t[i % N] = (E)(t[(i + 1) % N] + 1);                                        \
    out[n * k++ + i] = t + (E)3;                                               \
    E r = __builtin_reduce_add(a);                                             \
    r ^= __builtin_reduce_max(b);                                              \
    r |= __builtin_reduce_xor(c);                                              \
    out[n * k++ + i] = b + r;                                                  \
  }
//| for v, e, n in (("u8x4", "u8", 4), ("u8x16", "u8", 16), ("u16x2", "u16", 2),
//|                 ("u16x4", "u16", 4), ("u16x8", "u16", 8), ("u32x2", "u32", 2),
//|                 ("u32x4", "u32", 4), ("u64x2", "u64", 2)):
//|     launch(f"integers_{v}", [inp(e, 3 * 64 * n), out(e, 17 * 64 * n)])
INTEGER_VECTORS(u8x4, u8, 8, 4)
INTEGER_VECTORS(u8x16, u8, 8, 16)
INTEGER_VECTORS(u16x2, u16, 16, 2)
INTEGER_VECTORS(u16x4, u16, 16, 4)
INTEGER_VECTORS(u16x8, u16, 16, 8)
INTEGER_VECTORS(u32x2, u32, 32, 2)
INTEGER_VECTORS(u32x4, u32, 32, 4)
INTEGER_VECTORS(u64x2, u64, 64, 2)

//| launch("signed_s16x2", [inp("s16", 3 * 128), out("s16", 128 * 10)])
//| launch("signed_s8x4", [inp("s8", 3 * 256), out("s8", 256 * 10)])
#define SIGNED_VECTORS(V, E, W)                                                \
  KERNEL(signed_##V, (GLOBAL const V *, in), (GLOBAL V *, out)) {              \
    u32 n = 64, i = global_linear(), k = 0;                                    \
    V a = in[i], b = in[n + i], c = in[2 * n + i];                             \
    out[n * k++ + i] = __builtin_elementwise_min(a, b);                        \
    out[n * k++ + i] = __builtin_elementwise_max(a, b);                        \
    out[n * k++ + i] = __builtin_elementwise_add_sat(a, b);                    \
    out[n * k++ + i] = __builtin_elementwise_sub_sat(a, c);                    \
    out[n * k++ + i] = a >> (b & (E)(W - 1));                                  \
    out[n * k++ + i] = __builtin_elementwise_abs(a >> (E)1);                   \
    out[n * k++ + i] = a < b ? b : c;                                          \
    out[n * k++ + i] = a >> (E)3;                                              \
    out[n * k++ + i] = (a & (E)0x33) * (b & (E)3) - (c & (E)0x1f);             \
    out[n * k++ + i] = __builtin_elementwise_max(                              \
        __builtin_elementwise_min(a, (V)(E)50), (V)(E)-50);                    \
  }
SIGNED_VECTORS(s16x2, s16, 16)
SIGNED_VECTORS(s8x4, s8, 8)

#define FLOAT_VECTORS(V, E, S)                                                 \
  KERNEL(floats_##V, (GLOBAL const V *, in), (GLOBAL V *, out), (E, scalar)) { \
    u32 n = 64, i = global_linear(), k = 0;                                    \
    V a = in[i], b = in[n + i], c = in[2 * n + i];                             \
    out[n * k++ + i] = a + b;                                                  \
    out[n * k++ + i] = a - b;                                                  \
    out[n * k++ + i] = a * b;                                                  \
    out[n * k++ + i] = a * scalar + b;                                         \
    out[n * k++ + i] = -a * c.S;                                               \
    out[n * k++ + i] = a.S + b * (E)2;                                         \
    out[n * k++ + i] = a < b ? a : c;                                          \
    out[n * k++ + i] = (a + b) * (c - a.S);                                    \
    V t = a;                                                                   \
    t.x = b.y;                                                                 \
    out[n * k++ + i] = t - c;                                                  \
    out[n * k++ + i] = a / b;                                                  \
  }
//| for v, e, n, fmt in (("f16x2", "f16", 2, "e"), ("f16x4", "f16", 4, "e"),
//|                 ("f32x2", "f32", 2, "f"), ("f32x4", "f32", 4, "f"), ("f64x2", "f64", 2, "d")):
//|     launch(f"floats_{v}", [inp(e, 3 * 64 * n), out(e, 10 * 64 * n), val(fmt, -1.5)])
//| launch("floats_bf16x2", [inp("bf16", 384), out("bf16", 1280), val("H", 0xbfc0)])
FLOAT_VECTORS(f16x2, f16, yx)
FLOAT_VECTORS(f16x4, f16, wzyx)
FLOAT_VECTORS(f32x2, f32, yx)
FLOAT_VECTORS(f32x4, f32, wzyx)
FLOAT_VECTORS(f64x2, f64, yx)
FLOAT_VECTORS(bf16x2, bf16, yx)

// Packed fused multiply-add and minimum, by the vector builtins; the oracle
// takes them apart.
#ifdef __AMDGCN__
#define FMA2(V, E, a, b, c) __builtin_elementwise_fma(a, b, c)
#define MIN2(V, E, a, b) __builtin_elementwise_minnum(a, b)
#define MAX2(V, E, a, b) __builtin_elementwise_maxnum(a, b)
#else
#define FMA2(V, E, a, b, c)                                                    \
  (V) { fma_##E((a).x, (b).x, (c).x), fma_##E((a).y, (b).y, (c).y) }
#define MIN2(V, E, a, b)                                                       \
  (V) { min_##E((a).x, (b).x), min_##E((a).y, (b).y) }
#define MAX2(V, E, a, b)                                                       \
  (V) { max_##E((a).x, (b).x), max_##E((a).y, (b).y) }
#endif
#define PACKED(V, E)                                                           \
  KERNEL(packed_##V, (GLOBAL const V *, in), (GLOBAL V *, out)) {              \
    u32 n = 128, i = global_linear(), k = 0;                                   \
    V a = in[i], b = in[n + i], c = in[2 * n + i], zero = (V)(E)0;             \
    out[n * k++ + i] = FMA2(V, E, a, b, c);                                    \
    out[n * k++ + i] = FMA2(V, E, -a, b.yx, c);                                \
    out[n * k++ + i] = FMA2(V, E, a.xx, b, -c.yx);                             \
    out[n * k++ + i] = FMA2(V, E, a, (V)(E)0.5, b);                            \
    out[n * k++ + i] = MIN2(V, E, a, b) + zero;                                \
    out[n * k++ + i] = MAX2(V, E, a.yx, b) + zero;                             \
    out[n * k++ + i] = a.yx * b + (V)(E)1;                                     \
  }
//| for v, e in ("f16x2", "f16"), ("f32x2", "f32"):
//|     launch(f"packed_{v}", [inp(e, 3 * 256), out(e, 7 * 256)], block=128)
PACKED(f16x2, f16)
PACKED(f32x2, f32)

//| launch("vector_conversions", [inp("u8", 512), inp("s16", 512), inp("f32", 512, "moderate"),
//|        out("f32", 512), out("u8", 512), out("f16", 512), out("s32", 512), out("u16", 512),
//|        out("bf16", 512)], block=128)
KERNEL(vector_conversions, (GLOBAL const u8x4 *, bytes),
       (GLOBAL const s16x4 *, halves), (GLOBAL const f32x4 *, numbers),
       (GLOBAL f32x4 *, out32), (GLOBAL u8x4 *, out8), (GLOBAL f16x4 *, out16),
       (GLOBAL s32x4 *, outs), (GLOBAL u16x4 *, outu),
       (GLOBAL bf16x4 *, outb)) {
  u32 i = global_linear();
  f32x4 f = numbers[i];
  out32[i] = __builtin_convertvector(bytes[i], f32x4) * 0.5f +
             __builtin_convertvector(halves[i], f32x4);
  f32x4 small = __builtin_elementwise_abs(f) * 0.03f;
  out8[i] = __builtin_convertvector(small, u8x4);
  out16[i] = __builtin_convertvector(f, f16x4);
  outs[i] = __builtin_convertvector(f, s32x4) +
            __builtin_convertvector(halves[i], s32x4);
  outu[i] = __builtin_convertvector(bytes[i], u16x4) * (u16)257;
  outb[i] = __builtin_convertvector(f, bf16x4);
}

//| launch("shuffled_vectors", [inp("u8", 1024), inp("u16", 512), inp("u32", 512),
//|        out("u8", 1024), out("u16", 512), out("u32", 512)], block=64)
KERNEL(shuffled_vectors, (GLOBAL const u8x16 *, in8),
       (GLOBAL const u16x8 *, in16), (GLOBAL const u32x8 *, in32),
       (GLOBAL u8x16 *, out8), (GLOBAL u16x8 *, out16),
       (GLOBAL u32x8 *, out32)) {
  u32 i = global_linear();
  u8x16 a = in8[i], b = in8[(i + 1) % 64];
  out8[i] = __builtin_shufflevector(a, b, 31, 0, 17, 2, 2, 19, 4, 20, 15, 16, 8,
                                    7, 6, 5, 30, 9);
  u16x8 c = in16[i];
  out16[i] = __builtin_shufflevector(c, c, 7, 6, 0, 1, 3, 2, 5, 4) +
             c.s01234567.s10325476;
  u32x8 d = in32[i];
  d.s0246 = d.s1357;
  d.hi.xy = d.lo.zw;
  out32[i] = d;
}
