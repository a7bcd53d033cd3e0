// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of workgroups of a kernel on a compute unit. LLVM "User Guide for
// AMDGPU Backend", kernel descriptor: gfx90a and later allocate vector
// registers in granules of 8; all waves of a SIMD share 512 registers per lane.
// LDS of gfx950 is allocated in granules of 1280 bytes.
#include "timing.h"

enum { VGPR_GRANULE = 8, LDS_GRANULE_BYTES = 1280 };

uint32_t emu_time_resident(const emu_launch *l, const emu_time_constants *k) {
  uint32_t simds = (uint32_t)k->simds, slots = (uint32_t)k->wave_slots;
  uint32_t vgprs = ((l->kernel->kd.rsrc1 & 63) + 1) * VGPR_GRANULE;
  uint32_t by_registers = ISA_VGPRS / vgprs;
  uint32_t a_simd = by_registers < slots ? by_registers : slots;
  uint32_t waves_of_group =
      (l->waves + simds - 1) / simds; // on its fullest SIMD
  uint32_t n =
      l->waves >= simds ? a_simd / waves_of_group : a_simd * simds / l->waves;
  uint32_t lds = (l->lds_bytes + LDS_GRANULE_BYTES - 1) / LDS_GRANULE_BYTES *
                 LDS_GRANULE_BYTES;
  if (lds && EMU_LDS_BYTES / lds < n)
    n = EMU_LDS_BYTES / lds;
  return n ? n : 1;
}

uint32_t emu_time_places(const emu_launch *l, const emu_time_constants *k) {
  const uint32_t units = (uint32_t)k->compute_units / emu_time_xcds(k);
  return (units ? units : 1) * emu_time_resident(l, k);
}
