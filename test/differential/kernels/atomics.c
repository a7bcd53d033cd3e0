// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics in global memory, LDS and through flat pointers. Final values do not
// depend on the order; values returned are used only where they do not either.
#include "kernel.h"

#define ADD(p, v)                                                              \
  __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define SCOPE __MEMORY_SCOPE_DEVICE
#define GLOBAL_ATOMICS(T)                                                      \
  KERNEL(global_##T, (GLOBAL const T *, in), (GLOBAL T *, slots)) {            \
    u32 i = global_linear();                                                   \
    T x = in[i];                                                               \
    __scoped_atomic_fetch_add(&slots[0], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_sub(&slots[1], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_and(&slots[2], x | 7, __ATOMIC_RELAXED, SCOPE);      \
    __scoped_atomic_fetch_or(&slots[3], x & 0x1248, __ATOMIC_RELAXED, SCOPE);  \
    __scoped_atomic_fetch_xor(&slots[4], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_min(&slots[5], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_max(&slots[6], x, __ATOMIC_RELAXED, SCOPE);          \
    __atomic_fetch_add(&slots[7], x * 3, __ATOMIC_SEQ_CST);                    \
  }
//| for t in "u32", "s32", "u64", "s64":
//|     launch(f"global_{t}", [inp(t, 512), both(t, 8, "any")], block=256, grid=2)
GLOBAL_ATOMICS(u32)
GLOBAL_ATOMICS(s32)
GLOBAL_ATOMICS(u64)
GLOBAL_ATOMICS(s64)

#undef SCOPE
#define SCOPE __MEMORY_SCOPE_WRKGRP
#define LOCAL_ATOMICS(T)                                                       \
  KERNEL(local_##T, (GLOBAL const T *, in), (GLOBAL T *, out)) {               \
    SHARED T slots[16];                                                        \
    u32 i = local_id(0);                                                       \
    T x = in[global_linear()];                                                 \
    if (i < 16)                                                                \
      slots[i] = (T)(i * 1000003u);                                            \
    barrier();                                                                 \
    __scoped_atomic_fetch_add(&slots[0], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_sub(&slots[1], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_and(&slots[2], x | 7, __ATOMIC_RELAXED, SCOPE);      \
    __scoped_atomic_fetch_or(&slots[3], x & 0x1248, __ATOMIC_ACQ_REL, SCOPE);  \
    __scoped_atomic_fetch_xor(&slots[4], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_min(&slots[5], x, __ATOMIC_RELAXED, SCOPE);          \
    __scoped_atomic_fetch_max(&slots[6], x, __ATOMIC_SEQ_CST, SCOPE);          \
    if (i % 3 == 0)                                                            \
      __scoped_atomic_fetch_add(&slots[7 + i % 8], x, __ATOMIC_RELAXED,        \
                                SCOPE);                                        \
    barrier();                                                                 \
    if (i < 16)                                                                \
      out[16 * group_id(0) + i] = slots[i];                                    \
  }
//| for t in "u32", "s32", "u64", "s64":
//|     launch(f"local_{t}", [inp(t, 400), out(t, 32)], block=200, grid=2)
LOCAL_ATOMICS(u32)
LOCAL_ATOMICS(s32)
LOCAL_ATOMICS(u64)
LOCAL_ATOMICS(s64)

// Small whole numbers: their sums are exact in any order.
#define FLOAT_ATOMICS(T)                                                       \
  KERNEL(float_add_##T, (GLOBAL const T *, in), (GLOBAL T *, slots)) {         \
    SHARED T local_sum[4];                                                     \
    u32 i = global_linear(), l = local_id(0);                                  \
    if (l < 4)                                                                 \
      local_sum[l] = 0;                                                        \
    barrier();                                                                 \
    __scoped_atomic_fetch_add(&slots[i % 7], in[i], __ATOMIC_RELAXED,          \
                              __MEMORY_SCOPE_DEVICE);                          \
    __scoped_atomic_fetch_sub(&slots[7 + i % 3], in[i], __ATOMIC_RELAXED,      \
                              __MEMORY_SCOPE_SYSTEM);                          \
    __scoped_atomic_fetch_add(&local_sum[i % 4], in[i], __ATOMIC_RELAXED,      \
                              __MEMORY_SCOPE_WRKGRP);                          \
    barrier();                                                                 \
    if (l < 4)                                                                 \
      __scoped_atomic_fetch_add(&slots[10 + l], local_sum[l],                  \
                                __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);      \
  }
//| # With the flag they become the hardware's float atomics, else loops.
//| variant("hardware", "-munsafe-fp-atomics")
//| for t in "f32", "f64":
//|     launch(f"float_add_{t}", [inp(t, 512, "integral"), both(t, 14, "integral")],
//|            block=256, grid=2)
FLOAT_ATOMICS(f32)
FLOAT_ATOMICS(f64)

//| for t in "f32", "f64":
//|     launch(f"float_minmax_{t}", [inp(t, 256, "moderate"), both(t, 4, "moderate")],
//|            block=128, grid=2)
#define FLOAT_MIN_MAX(T)                                                       \
  KERNEL(float_minmax_##T, (GLOBAL const T *, in), (GLOBAL T *, slots)) {      \
    SHARED T least, most;                                                      \
    u32 i = global_linear();                                                   \
    if (!local_id(0)) {                                                        \
      least = (T)1000000;                                                      \
      most = (T)-1000000;                                                      \
    }                                                                          \
    barrier();                                                                 \
    __scoped_atomic_fetch_min(&slots[0], in[i], __ATOMIC_RELAXED,              \
                              __MEMORY_SCOPE_DEVICE);                          \
    __scoped_atomic_fetch_max(&slots[1], in[i], __ATOMIC_RELAXED,              \
                              __MEMORY_SCOPE_DEVICE);                          \
    __scoped_atomic_fetch_min(&least, in[i], __ATOMIC_RELAXED,                 \
                              __MEMORY_SCOPE_WRKGRP);                          \
    __scoped_atomic_fetch_max(&most, in[i], __ATOMIC_RELAXED,                  \
                              __MEMORY_SCOPE_WRKGRP);                          \
    barrier();                                                                 \
    if (!local_id(0)) {                                                        \
      __scoped_atomic_fetch_min(&slots[2], least, __ATOMIC_RELAXED,            \
                                __MEMORY_SCOPE_DEVICE);                        \
      __scoped_atomic_fetch_max(&slots[3], most, __ATOMIC_RELAXED,             \
                                __MEMORY_SCOPE_DEVICE);                        \
    }                                                                          \
  }
FLOAT_MIN_MAX(f32)
FLOAT_MIN_MAX(f64)

// Tickets: who gets which is open, that each is given once is not. A chain of
// exchanges hands every number on exactly once, so their sum telescopes.
//| launch("tickets", [both("u32", 3, "zero"), both("u32", 600, "zero")], block=150, grid=4)
KERNEL(tickets, (GLOBAL u32 *, slots), (GLOBAL u32 *, taken)) {
  u32 mine = __scoped_atomic_fetch_add(&slots[0], 1, __ATOMIC_RELAXED,
                                       __MEMORY_SCOPE_DEVICE);
  ADD(&taken[mine], 1);
  SHARED u32 cell;
  if (!local_id(0))
    cell = 0;
  barrier();
  u32 value = local_id(0) + 1;
  u32 old = __scoped_atomic_exchange_n(&cell, value, __ATOMIC_ACQ_REL,
                                       __MEMORY_SCOPE_WRKGRP);
  ADD(&slots[1], value - old);
  barrier();
  if (!local_id(0))
    __scoped_atomic_fetch_sub(&slots[1], cell, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
}

// Open addressing by compare-and-swap: the set of keys is fixed, slots are not.
//| launch("compare_and_swap", [inp("u32", 256, "range:1:90"), both("u32", 128, "zero"),
//|        both("u64", 8, "zero")], block=128, grid=2)
KERNEL(compare_and_swap, (GLOBAL const u32 *, in), (GLOBAL u32 *, found),
       (GLOBAL u64 *, sums)) {
  SHARED u32 key[256];
  u32 l = local_id(0), x = in[global_linear()];
  key[l] = 0;
  key[l + 128] = 0;
  barrier();
  for (u32 at = x * 2654435761u % 256;; at = (at + 1) % 256) {
    u32 expected = 0;
    if (__scoped_atomic_compare_exchange_n(&key[at], &expected, x, 0,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED,
                                           __MEMORY_SCOPE_WRKGRP))
      break;
    if (expected == x)
      break;
  }
  barrier();
  for (u32 j = l; j < 256; j += 128)
    if (key[j])
      ADD(&found[key[j]], 1);
  // A 64-bit maximum by hand.
  GLOBAL u64 *slot = &sums[x % 8];
  u64 candidate = (u64)x << 33 | 5, old = *slot;
  while (old < candidate &&
         !__atomic_compare_exchange_n(slot, &old, candidate, 1,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
}

// What comes back, in slots of one's own.
//| launch("returned", [inp("u32", 256), both("u32", 256 * 2, "any"),
//|        both("u64", 256 * 2, "any"), out("u64", 256 * 14)], block=64, grid=4)
KERNEL(returned, (GLOBAL const u32 *, in), (GLOBAL u32 *, a), (GLOBAL u64 *, b),
       (GLOBAL u64 *, out)) {
  SHARED u32 la[64];
  SHARED u64 lb[64];
  u32 i = global_linear(), l = local_id(0), x = in[i], k = 0;
  la[l] = x * 3;
  lb[l] = (u64)x << 20;
#define PUT(v) (out[256 * k++ + i] = (u64)(v))
#define R __ATOMIC_RELAXED
  PUT(__scoped_atomic_fetch_add(&a[i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_fetch_max(&a[i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_exchange_n(&a[i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_fetch_sub(&b[i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_fetch_xor(&b[i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_exchange_n(&b[256 + i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_fetch_nand(&a[256 + i], x, R, __MEMORY_SCOPE_DEVICE));
  PUT(__scoped_atomic_fetch_add(&la[l], x, R, __MEMORY_SCOPE_WRKGRP));
  PUT(__scoped_atomic_fetch_min((LOCAL s32 *)&la[l], (s32)x, R,
                                __MEMORY_SCOPE_WRKGRP));
  PUT(__scoped_atomic_exchange_n(&la[l], 9, R, __MEMORY_SCOPE_WRKGRP));
  PUT(__scoped_atomic_fetch_or(&lb[l], x, R, __MEMORY_SCOPE_WRKGRP));
  PUT(__scoped_atomic_fetch_max(&lb[l], 77, R, __MEMORY_SCOPE_WRKGRP));
  u64 expected = lb[l] + (i & 1);
  _Bool done = __scoped_atomic_compare_exchange_n(&lb[l], &expected, 5, 0, R, R,
                                                  __MEMORY_SCOPE_WRKGRP);
  PUT(expected * 2 + done);
  PUT(lb[l]);
#undef PUT
#undef R
}

// Narrow ones become compare-and-swap loops on the dword around them.
//| launch("narrow", [inp("u32", 256), both("u8", 8, "any"), both("u16", 8, "any")],
//|        block=128, grid=2)
KERNEL(narrow, (GLOBAL const u32 *, in), (GLOBAL u8 *, bytes),
       (GLOBAL u16 *, halves)) {
  u32 i = global_linear(), x = in[i];
  ADD(&bytes[i % 5], (u8)x);
  __scoped_atomic_fetch_xor(&bytes[5 + i % 3], (u8)x, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
  ADD(&halves[i % 3], (u16)x);
  __scoped_atomic_fetch_max(&halves[3], (u16)(x >> 3), __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_and(&halves[4 + i % 2], (u16)(x | 0xff),
                            __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
