// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// kernel.h for x86-64: every kernel becomes a function oracle_<kernel> that
/// runs one work-item.
#ifndef FMHAC_TEST_DIFFERENTIAL_KERNEL_X86_64_H
#define FMHAC_TEST_DIFFERENTIAL_KERNEL_X86_64_H

#include "oracle.h"

#define GLOBAL
#define LOCAL
#define CONSTANT
// One workgroup runs at a time, so its arrays are those of the process.
#ifdef __OPENCL_C_VERSION__
#define SHARED static __global
#else
#define SHARED static
#endif
#define SHARED_DYNAMIC(type, name)                                             \
  static type name[ORACLE_DYNAMIC_LDS_BYTES / sizeof(type)]
#define ATTRIBUTES(...)

// The kernel arguments lie in their segment as in this structure: each at the
// next multiple of its alignment.
#define KERNEL(name, ...)                                                      \
  struct name##_arguments {                                                    \
    K_EXPAND(K_JOIN(K_FIELD, __VA_ARGS__))                                     \
  };                                                                           \
  static void name(K_EXPAND(K_LIST(K_PARAMETER, __VA_ARGS__)));                \
  void oracle_##name(const void *arguments);                                   \
  void oracle_##name(const void *arguments) {                                  \
    const struct name##_arguments *k_arguments =                               \
        (const struct name##_arguments *)arguments;                            \
    name(K_EXPAND(K_LIST(K_VALUE, __VA_ARGS__)));                              \
  }                                                                            \
  static void name(K_EXPAND(K_LIST(K_PARAMETER, __VA_ARGS__)))
#define KERNEL_WITH(attributes, name, ...) KERNEL(name, __VA_ARGS__)

static inline u32 local_id(int d) { return oracle_self()->local_id[d]; }
static inline u32 group_id(int d) { return oracle_self()->group_id[d]; }
static inline u32 local_size(int d) { return oracle_self()->local_size[d]; }
static inline u32 group_count(int d) { return oracle_self()->group_count[d]; }
static inline u32 grid_items(int d) {
  return oracle_self()->group_count[d] * oracle_self()->local_size[d];
}

static inline void barrier(void) { oracle_barrier(); }

static inline u32 k_lane(void) { return oracle_self()->lane; }

static inline u64 wave_ballot(_Bool predicate) {
  const struct oracle_wave_values *all = oracle_exchange(predicate);
  u64 mask = 0;
  for (u32 i = 0; i < WAVE; i++)
    if (all->active >> i & 1 && all->value[i])
      mask |= 1ul << i;
  return mask;
}
static inline u32 wave_shuffle(u32 v, u32 lane) {
  return (u32)oracle_exchange(v)->value[lane % WAVE];
}
static inline u32 wave_send(u32 v, u32 lane) {
  const struct oracle_wave_values *all =
      oracle_exchange((u64)(lane % WAVE) << 32 | v);
  u32 found = 0;
  for (u32 i = 0; i < WAVE; i++)
    if (all->active >> i & 1 && all->value[i] >> 32 == k_lane())
      found = (u32)all->value[i];
  return found;
}
static inline u32 wave_first(u32 v) {
  const struct oracle_wave_values *all = oracle_exchange(v);
  return (u32)all->value[__builtin_ctzl(all->active)];
}
static inline u32 wave_read(u32 v, u32 lane) {
  return (u32)oracle_exchange(v)->value[lane % WAVE];
}
static inline u32 wave_count_below(u64 mask) {
  return (u32)__builtin_popcountl(mask & ((1ul << k_lane()) - 1));
}

// Source lane of a DPP control, or -1. CDNA3 ISA 3.5 "Data Parallel
// Processing".
static inline int k_dpp_source(int control) {
  int lane = (int)k_lane(), row = lane & ~15, in_row = lane & 15;
  int n = control & 15;
  if (control < 0x100) // quad_perm
    return (lane & ~3) | (control >> 2 * (lane & 3) & 3);
  if (control <= 0x10f) // row_shl:n
    return in_row + n < 16 ? lane + n : -1;
  if (control <= 0x11f) // row_shr:n
    return in_row - n >= 0 ? lane - n : -1;
  if (control <= 0x12f) // row_ror:n
    return row | ((in_row - n) & 15);
  switch (control) {
  case 0x130: // wave_shl:1
    return lane + 1 < 64 ? lane + 1 : -1;
  case 0x134: // wave_rol:1
    return (lane + 1) & 63;
  case 0x138: // wave_shr:1
    return lane - 1;
  case 0x13c: // wave_ror:1
    return (lane - 1) & 63;
  case 0x140: // row_mirror
    return row | (15 - in_row);
  case 0x141: // row_half_mirror
    return (lane & ~7) | (7 - (lane & 7));
  case 0x142: // row_bcast:15, to the next row
    return lane >= 16 ? row - 1 : -1;
  case 0x143: // row_bcast:31, to rows 2 and 3
    return lane >= 32 ? 31 : -1;
  default: // 0x150 row_newbcast:n
    return row | n;
  }
}
static inline u32 k_dpp(u32 old, u32 v, int control, int row_mask,
                        int bank_mask, _Bool bound_control) {
  const struct oracle_wave_values *all = oracle_exchange(v);
  u32 lane = k_lane();
  if (!(row_mask >> lane / 16 & 1) || !(bank_mask >> lane / 4 % 4 & 1))
    return old;
  int source = k_dpp_source(control);
  if (source < 0 || !(all->active >> source & 1))
    return bound_control ? 0 : old;
  return (u32)all->value[source];
}
#define WAVE_DPP(old, v, control, row_mask, bank_mask, bound_control)          \
  k_dpp(old, v, control, row_mask, bank_mask, bound_control)

// Bit mode of ds_swizzle_b32: within 32 lanes, ((lane & and) | or) ^ xor.
// Quad mode (bit 15): as quad_perm. CDNA3 ISA 11.3.
static inline u32 k_swizzle(u32 v, u32 pattern) {
  const struct oracle_wave_values *all = oracle_exchange(v);
  u32 lane = k_lane(), source;
  if (pattern >> 15)
    source = (lane & ~3u) | (pattern >> 2 * (lane & 3) & 3);
  else
    source = (lane & 32) | ((((lane & 31) & pattern) | (pattern >> 5 & 31)) ^
                            (pattern >> 10 & 31));
  return all->active >> source & 1 ? (u32)all->value[source] : 0;
}
#define WAVE_SWIZZLE(v, pattern) k_swizzle(v, pattern)

#define WAVE_BALLOT_IN_BRANCH(condition, predicate)                            \
  __extension__({                                                              \
    _Bool k_in = (condition);                                                  \
    u64 k_mask = wave_ballot(k_in && (predicate));                             \
    k_in ? k_mask : 0;                                                         \
  })

// One rounding: the f64 sum rounded to odd keeps what the f16 rounding needs,
// as 53 >= 2 * 11 + 2 (Boldo, Melquiond: "Emulation of FMA and correctly
// rounded sums"). The product of two f16 is exact in f64.
static inline f16 fma_f16(f16 a, f16 b, f16 c) {
  f64 p = (f64)a * (f64)b, q = (f64)c, s = p + q;
  f64 t = s - p, error = (p - (s - t)) + (q - t); // TwoSum
  u64 bits;
  __builtin_memcpy(&bits, &s, sizeof bits);
  if (error != 0 && s - s == 0 && !(bits & 1)) {
    bits += (error > 0) == (s > 0) ? 1 : -1ul;
    __builtin_memcpy(&s, &bits, sizeof bits);
  }
  return (f16)s;
}
static inline f32 fma_f32(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
static inline f64 fma_f64(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}
// 24 >= 2 * 11 + 2: rounding the f32 root once more is harmless.
static inline f16 sqrt_f16(f16 a) { return (f16)__builtin_sqrtf((f32)a); }
static inline f32 sqrt_f32(f32 a) { return __builtin_sqrtf(a); }
static inline f64 sqrt_f64(f64 a) { return __builtin_sqrt(a); }

#define K_MIN_MAX(type)                                                        \
  static inline type min_##type(type a, type b) {                              \
    if (a != a)                                                                \
      return b;                                                                \
    if (b != b)                                                                \
      return a;                                                                \
    if (a == b)                                                                \
      return __builtin_signbit((f64)a) ? a : b;                                \
    return a < b ? a : b;                                                      \
  }                                                                            \
  static inline type max_##type(type a, type b) {                              \
    if (a != a)                                                                \
      return b;                                                                \
    if (b != b)                                                                \
      return a;                                                                \
    if (a == b)                                                                \
      return __builtin_signbit((f64)a) ? b : a;                                \
    return a > b ? a : b;                                                      \
  }
K_MIN_MAX(f16)
K_MIN_MAX(f32)
K_MIN_MAX(f64)

#endif // FMHAC_TEST_DIFFERENTIAL_KERNEL_X86_64_H
