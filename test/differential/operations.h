// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Operations of the random kernels, total on every value: what C leaves
/// undefined (overflow of signed types, shifts past the width, division by
/// zero, conversions out of range) is given a meaning here, and what IEEE 754
/// leaves open (the payload and sign of a NaN, the sign of a zero minimum) is
/// hidden.
#ifndef FMHAC_TEST_DIFFERENTIAL_OPERATIONS_H
#define FMHAC_TEST_DIFFERENTIAL_OPERATIONS_H

#include "kernel.h"

// Keeps an operation apart from its users where LLVM 22 joins them wrongly; the
// README lists how.
#ifdef __AMDGCN__
#define HIDE(x) __asm__("" : "+v"(x))
// No register class holds one byte: through 32 bits.
#define HIDE_BYTES(x)                                                          \
  do {                                                                         \
    u32 k_hidden = 0;                                                          \
    __builtin_memcpy(&k_hidden, &(x), sizeof(x));                              \
    HIDE(k_hidden);                                                            \
    __builtin_memcpy(&(x), &k_hidden, sizeof(x));                              \
  } while (0)
#else
#define HIDE(x) (void)0
#define HIDE_BYTES(x) (void)0
#endif

// A product of bytes, as an addend. Through 32 bits, too.
#define HIDE_PRODUCT(W, x)                                                     \
  do {                                                                         \
    if (W == 8) {                                                              \
      u32 k_product = (u32)(x);                                                \
      HIDE(k_product);                                                         \
      (x) = (__typeof__(x))k_product;                                          \
    }                                                                          \
  } while (0)

// The carry out of 64-bit sums.
#define HIDE_WIDE(W, a, b)                                                     \
  do {                                                                         \
    if (W == 64) {                                                             \
      HIDE(a);                                                                 \
      HIDE(b);                                                                 \
    }                                                                          \
  } while (0)

// An operand of a 64-bit | that is no constant, but of which a half is -1,
// known once operations are inlined.
#define IS_ONES(x) (__builtin_constant_p(x) && (x) == 0xffffffffu)
#define HIDE_ONES(x)                                                           \
  do {                                                                         \
    if (!__builtin_constant_p(x) &&                                            \
        (IS_ONES((u32)(x)) || IS_ONES((u32)((u64)(x) >> 32))))                 \
      HIDE(x);                                                                 \
  } while (0)

// T: the type; U: the unsigned one of its width; W: its width.
#define INTEGER_OPERATIONS(T, U, W)                                            \
  static inline T add_##T(T a, T b) { return (T)(U)((U)a + (U)b); }            \
  static inline T sub_##T(T a, T b) {                                          \
    if (W == 64 && __builtin_constant_p(a) && a == (T)-1) /* is ~b */          \
      HIDE(a);                                                                 \
    return (T)(U)((U)a - (U)b);                                                \
  }                                                                            \
  static inline T mul_##T(T a, T b) {                                          \
    T r = (T)(U)(1u * (U)a * (U)b);                                            \
    HIDE_PRODUCT(W, r);                                                        \
    return r;                                                                  \
  }                                                                            \
  static inline T neg_##T(T a) { return (T)(U)(0u - (U)a); }                   \
  static inline T or_##T(T a, T b) {                                           \
    if (W == 64) {                                                             \
      HIDE_ONES(a);                                                            \
      HIDE_ONES(b);                                                            \
    }                                                                          \
    return (T)(a | b);                                                         \
  }                                                                            \
  static inline T not_##T(T a) {                                               \
    T r = (T)(~a);                                                             \
    if (W == 64) /* x | -1 of high halves */                                   \
      HIDE(r);                                                                 \
    return r;                                                                  \
  }                                                                            \
  static inline T div_##T(T a, T b) {                                          \
    T r = b == 0 || ((T)-1 < 0 && b == (T)-1) ? neg_##T(a) : (T)(a / b);       \
    if (W == 64 && __builtin_constant_p(b)) /* x % 31 * 6 */                   \
      HIDE(r);                                                                 \
    return r;                                                                  \
  }                                                                            \
  static inline T rem_##T(T a, T b) {                                          \
    T r = b == 0 || ((T)-1 < 0 && b == (T)-1) ? (T)0 : (T)(a % b);             \
    if (W == 64 && __builtin_constant_p(b))                                    \
      HIDE(r);                                                                 \
    return r;                                                                  \
  }                                                                            \
  static inline T shl_##T(T a, u32 b) { return (T)(U)((U)a << (b % W)); }      \
  static inline T shr_##T(T a, u32 b) { return (T)(a >> (b % W)); }            \
  static inline T rot_##T(T a, u32 b) {                                        \
    U x = (U)a;                                                                \
    return (T)(U)((U)(x << (b % W)) | (U)(x >> ((W - b % W) % W)));            \
  }                                                                            \
  static inline T min_##T(T a, T b) { return a < b ? a : b; }                  \
  static inline T max_##T(T a, T b) { return a > b ? a : b; }                  \
  static inline T clamp_##T(T a, T b, T c) {                                   \
    return max_##T(min_##T(b, c), min_##T(a, max_##T(b, c)));                  \
  }                                                                            \
  static inline T abs_##T(T a) { return a < 0 ? neg_##T(a) : a; }              \
  static inline T distance_##T(T a, T b) {                                     \
    return a > b ? sub_##T(a, b) : sub_##T(b, a);                              \
  }                                                                            \
  static inline T add_sat_##T(T a, T b) {                                      \
    HIDE_WIDE(W, a, b);                                                        \
    return __builtin_elementwise_add_sat(a, b);                                \
  }                                                                            \
  static inline T sub_sat_##T(T a, T b) {                                      \
    HIDE_WIDE(W, a, b);                                                        \
    return __builtin_elementwise_sub_sat(a, b);                                \
  }                                                                            \
  static inline T popcount_##T(T a) { return (T)__builtin_popcountg((U)a); }   \
  static inline T clz_##T(T a) { return (T)__builtin_clzg((U)a, W); }          \
  static inline T ctz_##T(T a) { return (T)__builtin_ctzg((U)a, W); }          \
  static inline T reverse_##T(T a) {                                           \
    return (T)__builtin_elementwise_bitreverse((U)a);                          \
  }                                                                            \
  static inline T field_##T(T a, u32 offset, u32 width) {                      \
    return (T)(U)((U)((U)a >> (offset % W)) &                                  \
                  (U)(((U)1 << (width % W)) - 1u));                            \
  }                                                                            \
  static inline T insert_##T(T mask, T a, T b) {                               \
    return or_##T((T)(a & mask), (T)(b & not_##T(mask)));                      \
  }                                                                            \
  static inline T overflow_##T(T a, T b) {                                     \
    T r;                                                                       \
    HIDE_WIDE(W, a, b);                                                        \
    return (T)(__builtin_add_overflow(a, b, &r) ? not_##T(r) : r);             \
  }                                                                            \
  static inline T overflow_mul_##T(T a, T b) {                                 \
    T r;                                                                       \
    HIDE_WIDE(W, a, b);                                                        \
    return (T)(__builtin_mul_overflow(a, b, &r) ? not_##T(r) : r);             \
  }
INTEGER_OPERATIONS(u8, u8, 8)
INTEGER_OPERATIONS(s8, u8, 8)
INTEGER_OPERATIONS(u16, u16, 16)
INTEGER_OPERATIONS(s16, u16, 16)
INTEGER_OPERATIONS(u32, u32, 32)
INTEGER_OPERATIONS(s32, u32, 32)
INTEGER_OPERATIONS(u64, u64, 64)
INTEGER_OPERATIONS(s64, u64, 64)

static inline u32 mul_high_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline s32 mul_high_s32(s32 a, s32 b) { return (s32)((s64)a * b >> 32); }
static inline u64 mul_high_u64(u64 a, u64 b) {
  return (u64)((u128)a * b >> 64);
}
static inline s64 mul_high_s64(s64 a, s64 b) {
  return (s64)((s128)a * b >> 64);
}
static inline u32 swap_u32(u32 a) { return __builtin_bswap32(a); }
static inline u64 swap_u64(u64 a) { return __builtin_bswap64(a); }
static inline u16 swap_u16(u16 a) { return __builtin_bswap16(a); }

// 0 - x as an operand.
#define SUB_VECTOR(T, a, b)                                                    \
  __extension__({                                                              \
    T k_left = (a);                                                            \
    HIDE(k_left);                                                              \
    k_left - (b);                                                              \
  })

static inline u64x2 or_u64x2(u64x2 a, u64x2 b) {
  return (u64x2){or_u64(a.x, b.x), or_u64(a.y, b.y)};
}

// A product of vectors of bytes.
#define MUL_BYTES(T, a, b)                                                     \
  __extension__({                                                              \
    T k_product = (a) * (b);                                                   \
    HIDE_BYTES(k_product);                                                     \
    k_product;                                                                 \
  })

// LOW <= x < HIGH converts without leaving S; both are powers of two or 0.
#define FLOAT_TO(T, S, LOW, HIGH)                                              \
  static inline S S##_of_##T(T x) {                                            \
    return x >= (T)(LOW) && x < (T)(HIGH) ? (S)x : (S)1;                       \
  }
#define FLOAT_OPERATIONS(T, U, SUFFIX, NAN_BITS)                               \
  static inline T add_##T(T a, T b) { return a + b; }                          \
  static inline T sub_##T(T a, T b) {                                          \
    if (__builtin_constant_p(a) && a == (T)0)                                  \
      HIDE(a);                                                                 \
    return a - b;                                                              \
  }                                                                            \
  static inline T fused_##T(T a, T b, T c) {                                   \
    if (__builtin_constant_p(c) && c == (T)0)                                  \
      HIDE(c);                                                                 \
    return fma_##T(a, b, c);                                                   \
  }                                                                            \
  static inline T mul_##T(T a, T b) { return a * b; }                          \
  static inline T div_##T(T a, T b) { return a / b; }                          \
  static inline T neg_##T(T a) { return -a; }                                  \
  static inline T abs_##T(T a) { return __builtin_fabs##SUFFIX(a); }           \
  static inline T positive_zero_##T(T a) { return a == (T)0 ? (T)0 : a; }      \
  static inline T least_##T(T a, T b) {                                        \
    return positive_zero_##T(min_##T(a, b));                                   \
  }                                                                            \
  static inline T most_##T(T a, T b) {                                         \
    return positive_zero_##T(max_##T(a, b));                                   \
  }                                                                            \
  static inline T clamp_##T(T a, T b, T c) {                                   \
    return positive_zero_##T(min_##T(max_##T(a, b), c));                       \
  }                                                                            \
  static inline T floor_##T(T a) { return __builtin_floor##SUFFIX(a); }        \
  static inline T ceil_##T(T a) { return __builtin_ceil##SUFFIX(a); }          \
  static inline T trunc_##T(T a) { return __builtin_trunc##SUFFIX(a); }        \
  static inline T rint_##T(T a) { return __builtin_rint##SUFFIX(a); }          \
  static inline T sign_##T(T a, T b) {                                         \
    return __builtin_copysign##SUFFIX(a, b != b ? (T)1 : b);                   \
  }                                                                            \
  static inline T scale_##T(T a, s32 e) {                                      \
    return __builtin_ldexp##SUFFIX(a, (e & 31) - 16);                          \
  }                                                                            \
  static inline U bits_##T(T a) { return a != a ? NAN_BITS : BITCAST(U, a); }  \
  static inline T from_bits_##T(U bits) {                                      \
    T x = BITCAST(T, bits);                                                    \
    return x != x ? (T)1 : x;                                                  \
  }                                                                            \
  FLOAT_TO(T, s8, -128, 128)                                                   \
  FLOAT_TO(T, u8, 0, 256)                                                      \
  FLOAT_TO(T, s16, -32768, 32768)
FLOAT_OPERATIONS(f16, u16, f16, 0x7e00)
FLOAT_OPERATIONS(f32, u32, f, 0x7fc00000)
FLOAT_OPERATIONS(f64, u64, , 0x7ff8000000000000)
// Every f16 but the infinities converts.
FLOAT_TO(f16, u16, 0, __builtin_inff16())
FLOAT_TO(f16, s32, -65504, __builtin_inff16())
FLOAT_TO(f16, u32, 0, __builtin_inff16())
FLOAT_TO(f16, s64, -65504, __builtin_inff16())
FLOAT_TO(f16, u64, 0, __builtin_inff16())
#define WIDE_FLOAT_TO(T)                                                       \
  FLOAT_TO(T, u16, 0, 65536)                                                   \
  FLOAT_TO(T, s32, -0x1p31, 0x1p31)                                            \
  FLOAT_TO(T, u32, 0, 0x1p32)                                                  \
  FLOAT_TO(T, s64, -0x1p63, 0x1p63)                                            \
  FLOAT_TO(T, u64, 0, 0x1p64)
WIDE_FLOAT_TO(f32)
WIDE_FLOAT_TO(f64)

// A value that no compiler knows: of a product of constants it may round the
// product first, contracted or not.
#ifdef __AMDGCN__
#define OPAQUE(T)                                                              \
  static inline T opaque_##T(T x) {                                            \
    HIDE(x);                                                                   \
    return x;                                                                  \
  }
#else
#define OPAQUE(T)                                                              \
  static inline T opaque_##T(T x) {                                            \
    __asm__("" : "+x"(x));                                                     \
    return x;                                                                  \
  }
#endif
OPAQUE(f32)
OPAQUE(f64)

// An element of a vector of halves; only clang for gfx950 must not know it.
static inline f16 hidden_f16(f16 x) {
  HIDE(x);
  return x;
}

// Integers of f16 that it holds: the compiler may round others twice.
static inline f16 f16_of_s32(s32 x) { return (f16)(x % 2048); }
// LLVM 22 contracts a product that is rounded to f16 to v_fma_mixlo_f16 with an
// addend of +0, which loses the sign of a zero.
static inline f16 f16_of_f32(f32 x) { return positive_zero_f16((f16)x); }
static inline f16 f16_of_f64(f64 x) { return (f16)x; }

#endif // FMHAC_TEST_DIFFERENTIAL_OPERATIONS_H
