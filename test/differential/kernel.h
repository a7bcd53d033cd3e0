// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a differential kernel is written against. One source, two targets: for
/// gfx950 these names are address spaces and compiler builtins; for x86-64, the
/// oracle, they are ordinary C (the exchanges between work-items are calls into
/// the runner, oracle.h, which steps the work-items of a workgroup in turn).
///
/// Every formula here for x86-64 is written from the C language, IEEE 754 or
/// the pseudocode of the instruction that the builtin stands for; none of it is
/// taken from the emulator.
#ifndef FMHAC_TEST_DIFFERENTIAL_KERNEL_H
#define FMHAC_TEST_DIFFERENTIAL_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef unsigned __int128 u128;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long s64;
typedef __int128 s128;
typedef _Float16 f16;
typedef __bf16 bf16;
typedef float f32;
typedef double f64;

#define VECTOR(type, n)                                                        \
  typedef type type##x##n __attribute__((ext_vector_type(n)))
VECTOR(u8, 2);
VECTOR(u8, 4);
VECTOR(u8, 8);
VECTOR(u8, 16);
VECTOR(s8, 2);
VECTOR(s8, 4);
VECTOR(s8, 8);
VECTOR(u16, 2);
VECTOR(u16, 3);
VECTOR(u16, 4);
VECTOR(u16, 8);
VECTOR(s16, 2);
VECTOR(s16, 4);
VECTOR(u32, 2);
VECTOR(u32, 3);
VECTOR(u32, 4);
VECTOR(u32, 8);
VECTOR(u32, 16);
VECTOR(s32, 2);
VECTOR(s32, 4);
VECTOR(u64, 2);
VECTOR(u64, 4);
VECTOR(s64, 2);
VECTOR(f16, 2);
VECTOR(f16, 4);
VECTOR(f16, 8);
VECTOR(bf16, 2);
VECTOR(bf16, 4);
VECTOR(f32, 2);
VECTOR(f32, 3);
VECTOR(f32, 4);
VECTOR(f32, 8);
VECTOR(f64, 2);
VECTOR(f64, 4);
#undef VECTOR

#define NOINLINE __attribute__((noinline))
#define WAVE 64u

/// KERNEL(name, (type, parameter), …) { body }
#define K_PARENS ()
#define K_EXPAND(...) K_EXPAND1(K_EXPAND1(K_EXPAND1(K_EXPAND1(__VA_ARGS__))))
#define K_EXPAND1(...) K_EXPAND2(K_EXPAND2(K_EXPAND2(K_EXPAND2(__VA_ARGS__))))
#define K_EXPAND2(...) K_EXPAND3(K_EXPAND3(K_EXPAND3(K_EXPAND3(__VA_ARGS__))))
#define K_EXPAND3(...) __VA_ARGS__
#define K_LIST(macro, first, ...)                                              \
  macro first __VA_OPT__(, K_LIST_AGAIN K_PARENS(macro, __VA_ARGS__))
#define K_LIST_AGAIN() K_LIST
#define K_JOIN(macro, first, ...)                                              \
  macro first __VA_OPT__(K_JOIN_AGAIN K_PARENS(macro, __VA_ARGS__))
#define K_JOIN_AGAIN() K_JOIN
#define K_PARAMETER(type, name) type name
#define K_FIELD(type, name) type name;
#define K_VALUE(type, name) k_arguments->name

#ifdef __AMDGCN__
#include "kernel_gfx950.h"
#else
#include "kernel_x86_64.h"
#endif

static inline u32 local_linear(void) {
  return local_id(0) +
         local_size(0) * (local_id(1) + local_size(1) * local_id(2));
}
static inline u32 group_linear(void) {
  return group_id(0) +
         group_count(0) * (group_id(1) + group_count(1) * group_id(2));
}
/// Index of the work-item in the grid, workgroup by workgroup.
static inline u32 global_linear(void) {
  return group_linear() * (local_size(0) * local_size(1) * local_size(2)) +
         local_linear();
}
static inline u32 lane_id(void) { return local_linear() % WAVE; }
/// Lanes that the own wave has: the last one of a workgroup may be partial.
static inline u32 wave_lanes(void) {
  u32 all = local_size(0) * local_size(1) * local_size(2);
  u32 first = local_linear() / WAVE * WAVE;
  return all - first < WAVE ? all - first : WAVE;
}

#define BITCAST(to, x)                                                         \
  __extension__({                                                              \
    __auto_type k_from = (x);                                                  \
    to k_to;                                                                   \
    _Static_assert(sizeof k_from == sizeof k_to, "BITCAST changes the size");  \
    __builtin_memcpy(&k_to, &k_from, sizeof k_to);                             \
    k_to;                                                                      \
  })

#endif // FMHAC_TEST_DIFFERENTIAL_KERNEL_H
