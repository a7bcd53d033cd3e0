// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What missing wait states do to results (`--hazards=effect`): the outcome
/// column of wait_states.def. Registers and memory then hold what hardware
/// would leave; findings are the hazard checker's business (check/hazard.c).
#ifndef FMHAC_EMU_HAZARD_EFFECT_H
#define FMHAC_EMU_HAZARD_EFFECT_H

#include "access.h"

/// The last instructions of a wave and what they have replaced.
typedef struct emu_effects emu_effects;

/// For `waves` waves, one after the other in memory; NULL if out of memory.
emu_effects *emu_effects_create(uint32_t waves);
/// NULL is allowed.
void emu_effects_destroy(emu_effects *effects);
/// Those of a wave.
emu_effects *emu_effects_of(emu_effects *effects, uint32_t wave);
/// Forgets what was executed: the wave starts.
void emu_effects_start(emu_effects *effects);

/// Executes `insn` as hardware does that leaves wait states to software.
void emu_effects_execute(emu_wave *wave, const isa_insn *insn);

/// `insn` is issued and does nothing, as MODE.VSKIP says.
void emu_effects_pass(emu_wave *wave, const isa_insn *insn);

/// A store goes to these places; for when the wave has effects.
void emu_effects_note_store(emu_wave *wave, const emu_access *access);

#endif // FMHAC_EMU_HAZARD_EFFECT_H
