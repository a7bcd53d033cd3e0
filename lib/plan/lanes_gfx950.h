// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// lanes.h for gfx950: the lanes of one workgroup.
#ifndef FMHAC_LIB_LANES_GFX950_H
#define FMHAC_LIB_LANES_GFX950_H

#define PLAN_LANES 512u
#define PLAN_WAVE 64u
#define PLAN_WAVES (PLAN_LANES / PLAN_WAVE)
#ifndef PLAN_FAR // of what nobody writes meanwhile constants are faster
#define PLAN_FAR __attribute__((address_space(1)))
#endif
#define PLAN_NEAR __attribute__((address_space(3)))
#define PLAN_FIXED __attribute__((address_space(4)))

static inline uint32_t plan_lane(void) {
  return (uint32_t)__builtin_amdgcn_workitem_id_x();
}
static inline uint32_t plan_in_wave(void) {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
static inline uint32_t plan_wave(void) {
  return (uint32_t)__builtin_amdgcn_readfirstlane(
      (int)(plan_lane() / PLAN_WAVE));
}
static inline bool plan_is_first_wave(void) { return plan_wave() == 0; }

static inline void plan_meet(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static inline void plan_meet_wave(void) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

// Data parallel primitives: each lane gets the operand of another one in the
// time of a move. Source: CDNA3 ISA, "Data Parallel Processing": row_shr:n is
// 0x110 + n, within rows of 16 lanes; row_bcast:15 and :31 give the last lane
// of a row to the next row, and that of the second to the third and fourth.
#define PLAN_DPP_OF_HALF(old, x, control, rows)                                \
  ((uint32_t)__builtin_amdgcn_update_dpp(                                      \
      (int)(uint32_t)(old), (int)(uint32_t)(x), control, rows, 0xf, false))
/// `old` in a lane that gets none.
#define PLAN_DPP(old, x, control, rows)                                        \
  ((uint64_t)PLAN_DPP_OF_HALF((uint64_t)(old) >> 32, (x) >> 32, control, rows) \
       << 32 |                                                                 \
   PLAN_DPP_OF_HALF(old, x, control, rows))
/// Lane by lane, x of the own lane and of all below it.
#define PLAN_OVER_WAVE_BY(dpp, x, none, with)                                  \
  do {                                                                         \
    x = with(x, dpp(none, x, 0x111, 0xf));                                     \
    x = with(x, dpp(none, x, 0x112, 0xf));                                     \
    x = with(x, dpp(none, x, 0x114, 0xf));                                     \
    x = with(x, dpp(none, x, 0x118, 0xf));                                     \
    x = with(x, dpp(none, x, 0x142, 0xa));                                     \
    x = with(x, dpp(none, x, 0x143, 0xc));                                     \
  } while (0)
#define PLAN_OVER_WAVE(x, none, with) PLAN_OVER_WAVE_BY(PLAN_DPP, x, none, with)

static inline uint64_t plan_sum_of(uint64_t x, uint64_t y) { return x + y; }
static inline uint64_t plan_min_wide(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

/// The same of the first lanes, one for each wave of the workgroup.
_Static_assert(PLAN_WAVES == 8, "three steps");
#define PLAN_OVER_WAVES_BY(dpp, x, none, with)                                 \
  do {                                                                         \
    x = with(x, dpp(none, x, 0x111, 0xf));                                     \
    x = with(x, dpp(none, x, 0x112, 0xf));                                     \
    x = with(x, dpp(none, x, 0x114, 0xf));                                     \
  } while (0)
#define PLAN_OVER_WAVES(x, none, with)                                         \
  PLAN_OVER_WAVES_BY(PLAN_DPP, x, none, with)

/// x of a lane that is the same for all.
static inline uint64_t plan_of_wave(uint64_t x, uint32_t lane) {
  return (uint64_t)(uint32_t)__builtin_amdgcn_readlane((int)(x >> 32),
                                                       (int)lane)
             << 32 |
         (uint32_t)__builtin_amdgcn_readlane((int)(uint32_t)x, (int)lane);
}
static inline uint64_t plan_last(uint64_t x) {
  return plan_of_wave(x, PLAN_WAVE - 1);
}

static inline uint64_t plan_scan_wave(uint64_t x, uint64_t *sum) {
  uint64_t all = x;
  PLAN_OVER_WAVE(all, 0, plan_sum_of);
  *sum = plan_last(all);
  return all - x;
}

static inline uint64_t plan_scan(uint64_t x, uint64_t *sum,
                                 PLAN_NEAR uint64_t *room) {
  uint64_t of_wave, below = plan_scan_wave(x, &of_wave);
  if (plan_in_wave() == 0)
    room[plan_wave()] = of_wave;
  plan_meet();
  uint64_t waves = room[plan_in_wave() % PLAN_WAVES];
  PLAN_OVER_WAVES(waves, 0, plan_sum_of);
  plan_meet();
  *sum = plan_of_wave(waves, PLAN_WAVES - 1);
  return plan_wave() ? below + plan_of_wave(waves, plan_wave() - 1) : below;
}

static inline uint64_t plan_least_of_wave(uint64_t x) {
  PLAN_OVER_WAVE(x, UINT64_MAX, plan_min_wide);
  return plan_last(x);
}

static inline uint64_t plan_least(uint64_t x, PLAN_NEAR uint64_t *room) {
  x = plan_least_of_wave(x);
  if (plan_in_wave() == 0)
    room[plan_wave()] = x;
  plan_meet();
  x = room[plan_in_wave() % PLAN_WAVES];
  PLAN_OVER_WAVES(x, UINT64_MAX, plan_min_wide);
  plan_meet();
  return plan_of_wave(x, PLAN_WAVES - 1);
}

/// Bins have eight bits.
static inline uint64_t plan_equals(uint32_t bin, bool in) {
  uint64_t lanes = __builtin_amdgcn_ballot_w64(in);
  for (uint32_t bit = 0; bit < 8; ++bit) {
    const bool has = bin >> bit & 1;
    const uint64_t with = __builtin_amdgcn_ballot_w64(has);
    lanes &= has ? with : ~with;
  }
  return in ? lanes : 0;
}
static inline uint32_t plan_below(uint64_t lanes) {
  return __builtin_amdgcn_mbcnt_hi(
      (uint32_t)(lanes >> 32), __builtin_amdgcn_mbcnt_lo((uint32_t)lanes, 0));
}

static inline void plan_add(PLAN_NEAR uint32_t *to, uint32_t x) {
  __scoped_atomic_fetch_add(to, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
}
static inline void plan_raise(PLAN_NEAR uint32_t *to, uint32_t x) {
  __scoped_atomic_fetch_max(to, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
}

static inline float plan_about_one_over(float x) {
  return __builtin_amdgcn_rcpf(x);
}

//===- Numbers of 32 bits, for one wave -----------------------------------===//
//
// All lanes have to take part: what is read of one that does not is 0.

#define PLAN_OVER_WAVE_32(x, none, with)                                       \
  PLAN_OVER_WAVE_BY(PLAN_DPP_OF_HALF, x, none, with)

static inline uint32_t plan_sum_of_32(uint32_t x, uint32_t y) { return x + y; }
static inline uint32_t plan_most_of_32(uint32_t x, uint32_t y) {
  return x > y ? x : y;
}

/// x of a lane that is the same for all.
static inline uint32_t plan_of_lane(uint32_t x, uint32_t lane) {
  return (uint32_t)__builtin_amdgcn_readlane((int)x, (int)lane);
}
/// x of a lane that each one chooses.
static inline uint32_t plan_of_any_lane(uint32_t x, uint32_t lane) {
  return (uint32_t)__builtin_amdgcn_ds_bpermute((int)(lane * 4), (int)x);
}
static inline uint64_t plan_lanes_of(bool x) {
  return __builtin_amdgcn_ballot_w64(x);
}
static inline uint32_t plan_scan_wave_32(uint32_t x, uint32_t *sum) {
  uint32_t all = x;
  PLAN_OVER_WAVE_32(all, 0, plan_sum_of_32);
  *sum = plan_of_lane(all, PLAN_WAVE - 1);
  return all - x;
}
static inline uint32_t plan_most_of_wave_32(uint32_t x) {
  PLAN_OVER_WAVE_32(x, 0, plan_most_of_32);
  return plan_of_lane(x, PLAN_WAVE - 1);
}

#endif // FMHAC_LIB_LANES_GFX950_H
