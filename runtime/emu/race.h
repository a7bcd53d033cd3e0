// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The race checker. Two accesses to a byte of LDS by different waves, at least
/// one of them a write, need a barrier between them; an access that no wait
/// certifies yet takes place in every epoch from its issue on.
#ifndef FMHAC_EMU_RACE_H
#define FMHAC_EMU_RACE_H

#include "shadow.h"
#include "wave.h"

typedef struct emu_race emu_race;

/// State of a host thread, for workgroups of `waves`. NULL if out of memory.
emu_race *emu_race_create(uint32_t waves);
/// NULL is allowed.
void emu_race_destroy(emu_race *race);

/// A workgroup begins; a barrier has opened.
void emu_race_start(emu_workgroup *wg);
void emu_race_barrier(emu_workgroup *wg);

/// The active lanes access `bytes` each at LDS addresses `at`, as part of the
/// operation with this serial number in the queue of lgkmcnt. What lies outside
/// the allocation is left to the memory checker.
void emu_race_lds(emu_wave *wave, const emu_insn *insn, uint64_t serial,
                  const uint32_t *at, uint32_t bytes, uint64_t exec,
                  emu_touch kind);
/// A load direct to LDS has been issued.
void emu_race_lds_dma(emu_wave *wave, const emu_pending *load);

#endif // FMHAC_EMU_RACE_H
