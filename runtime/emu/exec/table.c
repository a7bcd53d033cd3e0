// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of this variant, parallel to emu_isa_rows.
#include "lanes.h"

extern const emu_exec_fn EMU_FN(table)[];

#define EMU_INSN(mn, family, operands, counters, handler, status, source)      \
  EMU_FN(handler),
const emu_exec_fn EMU_FN(table)[] = {
#include "isa.def"
};
#undef EMU_INSN
