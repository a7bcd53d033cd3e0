// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The hazard checker at run time: missing wait states.
#ifndef FMHAC_EMU_HAZARD_H
#define FMHAC_EMU_HAZARD_H

#include "wave.h"

/// What is known of a kernel before it runs: the hazard checker's view of each
/// instruction. `flags` is parallel to the program's instructions.
struct emu_hazard_plan {
  const isa_insn *insns;
  const uint8_t *flags; ///< check/hazard.c; 0: nothing to look at
  const struct isa_hazard_traits *traits;
};

/// Looks for hazards in the code of `kernel`. The caller frees with free();
/// NULL: out of memory.
emu_hazard_plan *emu_hazard_plan_create(const emu_kernel *kernel);
/// `insn` is about to execute, and the plan flags it or the trail is near.
void emu_check_hazard(emu_wave *wave, const isa_insn *insn);
/// The wave went from `from` to wave->ip, which does not follow it.
void emu_hazard_jump(emu_wave *wave, const isa_insn *from);

#endif // FMHAC_EMU_HAZARD_H
