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
