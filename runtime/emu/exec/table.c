// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of this variant, parallel to isa_rows.
#include "lanes.h"

extern const emu_exec_fn EMU_FN(table)[];

#define ISA_INSN(mn, family, operands, counters, handler, status, source)      \
  EMU_FN(handler),
const emu_exec_fn EMU_FN(table)[] = {
#include "isa.def"
    EMU_FN(run_off), // bytes that are no known instruction
};
#undef ISA_INSN
