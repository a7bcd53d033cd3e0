// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Common code of LDS instructions: addresses, bounds, pending reads.
#ifndef FMHAC_EMU_LDS_H
#define FMHAC_EMU_LDS_H

#include "bounds.h"
#include "lanes.h"

/// Byte addresses of the lanes.
static inline void emu_lds_addresses(emu_wave *w, const isa_insn *in,
                                     uint32_t *at, uint32_t offset) {
  const uint32_t *v = emu_src(w, in, 0);
  EMU_LANE_LOOP at[i] = v[i] + offset;
}

/// True if `bytes` at every active lane's address are inside the allocation.
static inline bool emu_lds_inside(emu_wave *w, const uint32_t *at,
                                  uint32_t bytes, uint64_t exec) {
  uint32_t highest = 0;
  if (exec == ~0ull)
    EMU_LANE_LOOP highest = at[i] > highest ? at[i] : highest;
  else
    for (int i = 0; i < EMU_LANES; i++)
      if ((exec >> i & 1) && at[i] > highest)
        highest = at[i];
  return (uint64_t)highest + bytes <= w->wg->launch->lds_bytes;
}

/// Reports a lane outside the allocation.
static inline bool emu_lds_lane_inside(emu_wave *w, const isa_insn *in, int i,
                                       uint32_t at, uint32_t bytes,
                                       const char *verb) {
  if ((uint64_t)at + bytes <= w->wg->launch->lds_bytes)
    return true;
  emu_report_out_of_bounds_lds(w, in, i, verb, at, bytes);
  return false;
}

/// A read of `regs` registers; the data is filled in before the commit.
static inline emu_pending *emu_lds_begin_read(emu_wave *w, const isa_insn *in,
                                              unsigned regs) {
  emu_pending *p = emu_begin_lgkm(w, in);
  p->kind = EMU_PENDING_DS_READ;
  p->reg = in->dst[0].index;
  p->regs = (uint8_t)regs;
  return p;
}

#endif // FMHAC_EMU_LDS_H
