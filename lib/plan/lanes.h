// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the planner is written in, so that one source is a function of the host
/// and a kernel of gfx950: loops whose passes are shared among the lanes of a
/// workgroup, where the host has one.
///
///   PLAN_LANES, plan_lane(): lanes of the workgroup, and the own one
///
///   PLAN_WAVE, plan_in_wave(): lanes of a wave, and the own one's number there
///
///   PLAN_WAVES, plan_wave(), plan_is_first_wave()
///
///   PLAN_FAR, PLAN_NEAR, PLAN_FIXED: memory of the device, of the workgroup
///   (LDS), and constants
///
///   plan_meet(): all lanes have come here, and see what each wrote
///
///   plan_meet_wave(): the same of one wave
///
///   plan_scan(x, sum, room): the sum over lanes below the own one; `sum`: all
///
///   plan_scan_wave(x, sum): the same of one wave
///
///   plan_least(x, room): the least of all
///
///   plan_least_of_wave(x): of one wave
///
///   plan_equals(bin, in): the lanes of the wave that are `in` with this bin
///
///   plan_below(lanes): how many of these are below the own one
///
///   plan_add, plan_raise: sum and largest in LDS, of many
///
///   plan_scan_wave_32(x, sum): the same sum of 32 bits; plan_of_lane(x, lane):
///   x of a lane that is the same for all; plan_lanes_of(x): the lanes of the
///   wave where x holds
///
///   plan_about_one_over(x): the reciprocal, but for the last bits
///
/// gfx950 has more, of 32 bits, for what it alone does (gfx950/work_few.h).
///
/// Sums, largest and least of integers do not depend on an order: a list is the
/// same whatever the number of lanes.
#ifndef FMHAC_LIB_LANES_H
#define FMHAC_LIB_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __AMDGCN__
#include "lanes_gfx950.h"
#else
#include "lanes_host.h"
#endif

#define PLAN_INLINE static inline __attribute__((always_inline, unused))

/// The bit below which all bits of x are; x is at least 1.
PLAN_INLINE uint32_t plan_log2(uint32_t x) {
  return 31u - (uint32_t)__builtin_clz(x);
}

PLAN_INLINE uint32_t plan_min(uint32_t x, uint32_t y) { return x < y ? x : y; }
PLAN_INLINE uint32_t plan_max(uint32_t x, uint32_t y) { return x > y ? x : y; }
PLAN_INLINE uint64_t plan_lesser(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

/// A divisor whose quotients are cheap if it is a power of two, as sizes of
/// tiles are.
typedef struct plan_divisor {
  uint32_t value;
  uint32_t shift; ///< log2 of it, or 32
} plan_divisor;

PLAN_INLINE plan_divisor plan_divisor_of(uint32_t value) {
  return (plan_divisor){value, value & (value - 1) ? 32u : plan_log2(value)};
}

PLAN_INLINE uint32_t plan_divide(uint32_t x, plan_divisor by) {
  return by.shift < 32 ? x >> by.shift : x / by.value;
}

/// x + by.value - 1 stays below 2^32.
PLAN_INLINE uint32_t plan_divide_up(uint32_t x, plan_divisor by) {
  return plan_divide(x + by.value - 1, by);
}

/// Quotients of numbers up to 2^16 by one up to 2^16, as the argument
/// kv_head_reciprocal has them.
PLAN_INLINE uint64_t plan_reciprocal(uint32_t divisor) {
  return ((UINT64_C(1) << 32) + divisor - 1) / divisor;
}
PLAN_INLINE uint32_t plan_quotient(uint32_t x, uint64_t reciprocal) {
  return (uint32_t)((x * reciprocal) >> 32);
}

/// x / by, by at most 2^16, in three divisions of 32 bits: one of 64 is slow,
/// and LLVM 22 writes it with a saved carry, which the audit of code objects
/// does not let pass.
PLAN_INLINE uint64_t plan_divide_wide(uint64_t x, uint32_t by) {
  const uint32_t high = (uint32_t)(x >> 32), low = (uint32_t)x;
  const uint32_t middle = high % by << 16 | low >> 16;
  const uint32_t last = middle % by << 16 | (low & 0xffff);
  return ((uint64_t)(high / by) << 32) + ((uint64_t)(middle / by) << 16) +
         last / by;
}

#endif // FMHAC_LIB_LANES_H
