// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "occupancy.h"

#include "work_items.h"

// Source: AMDGPU usage guide of LLVM 22, limits of
// gfx90a and later; the LDS of gfx950 is 160 KiB in granules of 1280 bytes.
enum {
  REGISTERS_PER_LANE = 512,
  WAVES_PER_SIMD = 8,
  SIMDS = 4,
  WAVE_LANES = 64,
  LDS_GRANULE = 1280
};

/// Workgroups of `waves` waves where a SIMD holds `slots` waves: those of a
/// workgroup are dealt round the SIMDs.
static uint32_t workgroups_of(uint32_t slots, uint32_t waves) {
  return waves >= SIMDS ? slots / ((waves + SIMDS - 1) / SIMDS)
                        : slots * SIMDS / waves;
}

occupancy occupancy_of(const code_kernel *kernel, uint32_t threads) {
  uint32_t waves = (threads + WAVE_LANES - 1) / WAVE_LANES;
  if (waves == 0)
    waves = 1;
  uint32_t by_registers = REGISTERS_PER_LANE / kernel->facts.allocated_vgprs;
  uint32_t slots =
      by_registers < WAVES_PER_SIMD ? by_registers : WAVES_PER_SIMD;
  uint32_t by_waves = workgroups_of(slots, waves);
  uint64_t lds = (uint64_t)kernel->facts.lds_bytes + kernel->dynamic_lds_bytes;
  uint64_t granules = (lds + LDS_GRANULE - 1) / LDS_GRANULE;
  uint32_t by_lds = granules
                        ? (uint32_t)(FMHAC_LDS_BYTES / LDS_GRANULE / granules)
                        : UINT32_MAX;
  uint32_t workgroups = by_lds < by_waves ? by_lds : by_waves;
  return (occupancy){.workgroups_per_cu = workgroups,
                     .waves_per_simd = (workgroups * waves + SIMDS - 1) / SIMDS,
                     .limit = by_lds < by_waves               ? "lds"
                              : by_registers < WAVES_PER_SIMD ? "registers"
                                                              : "waves",
                     .by_registers = workgroups_of(by_registers, waves),
                     .by_lds = granules ? by_lds : 0,
                     .by_waves = workgroups_of(WAVES_PER_SIMD, waves),
                     .waves = waves};
}
