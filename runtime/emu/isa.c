// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction table as data, and the choice of handler variant.
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
#if defined(__x86_64__) && defined(EMU_HAVE_VARIANTS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    return emu_x_table_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return emu_x_table_avx2;
#endif
  return emu_x_table_base;
}
