// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction table as data, and the choice of handler variant.
#include "host.h"
#include "insn.h"

#define EMU_INSN(mn, family, operands, counters, handler, status, source)      \
  {#mn, family, operands, counters, #status, source},
const emu_isa_row emu_isa_rows[] = {
#include "isa.def"
};
#undef EMU_INSN
const unsigned emu_isa_row_count = sizeof emu_isa_rows / sizeof *emu_isa_rows;

extern const emu_exec_fn emu_x_table_base[];
extern const emu_exec_fn emu_x_table_avx2[];
extern const emu_exec_fn emu_x_table_avx512[];

const emu_exec_fn *emu_isa_handlers(void) {
#ifdef EMU_HAVE_VARIANTS
  switch (emu_host_variant()) {
  case EMU_HOST_avx512:
    return emu_x_table_avx512;
  case EMU_HOST_avx2:
    return emu_x_table_avx2;
  case EMU_HOST_base:
    break;
  }
#elif defined(EMU_ONE_TABLE)
  return EMU_ONE_TABLE;
#endif
  return emu_x_table_base;
}
