// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes accesses to memory on to the race checker and the checker of
/// undefined data.
#ifndef FMHAC_EMU_OBSERVE_H
#define FMHAC_EMU_OBSERVE_H

#include "access.h"

/// Passes an access on to the race and init checkers. Call it if one of them is
/// on.
void emu_observe(emu_wave *w, const isa_insn *in, const emu_access *access,
                 uint32_t bytes, emu_access_kind kind);

/// The same for ranges.
void emu_observe_ranges(emu_wave *wave, const isa_insn *insn,
                        const emu_access_range *ranges, unsigned count,
                        emu_access_kind kind);

#endif // FMHAC_EMU_OBSERVE_H
