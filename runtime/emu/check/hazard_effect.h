// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The effect of missing wait states on results (`--hazards=effect`), from the
/// column `effect` of wait_states.def. Registers and memory then get the values
/// that hardware would leave. The hazard checker makes the findings
/// (check/hazard.c).
#ifndef FMHAC_EMU_HAZARD_EFFECT_H
#define FMHAC_EMU_HAZARD_EFFECT_H

#include "access.h"

/// The last instructions of a wave and the register values that they replaced.
typedef struct emu_effects emu_effects;

/// For `waves` waves, one after the other in memory; NULL if out of memory.
emu_effects *emu_effects_create(uint32_t waves);
/// NULL is allowed.
void emu_effects_destroy(emu_effects *effects);
/// The effects of one wave.
emu_effects *emu_effects_of(emu_effects *effects, uint32_t wave);
/// Forgets what was executed: the wave starts.
void emu_effects_start(emu_effects *effects);

/// Executes `insn` as hardware does, which does not add missing wait states.
void emu_effects_execute(emu_wave *wave, const isa_insn *insn);

/// `insn` is issued, but skipped by MODE.VSKIP.
void emu_effects_pass(emu_wave *wave, const isa_insn *insn);

/// Records the addresses of a store; for a wave that has effects.
void emu_effects_note_store(emu_wave *wave, const emu_access *access);

#endif // FMHAC_EMU_HAZARD_EFFECT_H
