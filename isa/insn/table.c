// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction table as data.
#include "insn.h"

#define ISA_INSN(mn, family, operands, counters, handler, status, source)      \
  {#mn, family, operands, ISA_COUNTS_##counters, #status, source},
const isa_row isa_rows[] = {
#include "isa.def"
    {"(unknown)", ISA_SOP, "", ISA_COUNTS_NONE, "doc", ""}};
#undef ISA_INSN
const unsigned isa_row_count = sizeof isa_rows / sizeof *isa_rows - 1;
