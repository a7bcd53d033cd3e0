// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// lanes.h for the host: one lane, so that loops run in order and every
/// exchange is with itself.
#ifndef FMHAC_LIB_LANES_HOST_H
#define FMHAC_LIB_LANES_HOST_H

#define PLAN_LANES 1u
#define PLAN_WAVE 1u
#define PLAN_WAVES 1u
#define PLAN_FAR
#define PLAN_NEAR
#define PLAN_FIXED

static inline uint32_t plan_lane(void) { return 0; }
static inline uint32_t plan_in_wave(void) { return 0; }
static inline uint32_t plan_wave(void) { return 0; }
static inline bool plan_is_first_wave(void) { return true; }
static inline void plan_meet(void) {}
static inline void plan_meet_wave(void) {}

static inline uint64_t plan_scan(uint64_t x, uint64_t *sum, uint64_t *room) {
  (void)room;
  *sum = x;
  return 0;
}
static inline uint64_t plan_scan_wave(uint64_t x, uint64_t *sum) {
  *sum = x;
  return 0;
}
static inline uint32_t plan_scan_wave_32(uint32_t x, uint32_t *sum) {
  *sum = x;
  return 0;
}
static inline uint32_t plan_of_lane(uint32_t x, uint32_t lane) {
  (void)lane;
  return x;
}
static inline uint64_t plan_lanes_of(bool x) { return x; }
static inline float plan_about_one_over(float x) { return 1 / x; }
static inline uint64_t plan_least(uint64_t x, uint64_t *room) {
  (void)room;
  return x;
}
static inline uint64_t plan_least_of_wave(uint64_t x) { return x; }
static inline uint64_t plan_equals(uint32_t bin, bool in) {
  (void)bin;
  return in;
}
static inline uint32_t plan_below(uint64_t lanes) {
  (void)lanes;
  return 0;
}
static inline void plan_add(uint32_t *to, uint32_t x) { *to += x; }
static inline void plan_raise(uint32_t *to, uint32_t x) {
  *to = *to > x ? *to : x;
}

#endif // FMHAC_LIB_LANES_HOST_H
