// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The hazard checker at run time: missing wait states.
#ifndef FMHAC_EMU_HAZARD_H
#define FMHAC_EMU_HAZARD_H

#include "wave.h"

/// The hazard checker's facts about each instruction, derived before the kernel
/// runs. `flags` is parallel to the program's instructions.
struct emu_hazard_plan {
  const isa_insn *insns;
  const uint8_t *flags; ///< check/hazard.c; 0: nothing to check
  const struct isa_hazard_traits *traits;
};

/// Looks for hazards in the code of `kernel`. The caller frees with free();
/// NULL: out of memory.
emu_hazard_plan *emu_hazard_plan_create(const emu_kernel *kernel);
/// Checks `insn`, which is about to execute. Call it if the plan flags `insn`
/// or the trail has a lookback.
void emu_check_hazard(emu_wave *wave, const isa_insn *insn);
/// The wave jumped from `from` to wave->ip.
void emu_hazard_jump(emu_wave *wave, const isa_insn *from);

#endif // FMHAC_EMU_HAZARD_H
