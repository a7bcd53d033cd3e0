// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the rest of isa/ needs of the disassembler beside fmhac_disasm.h.
#ifndef FMHAC_ISA_DISASM_H
#define FMHAC_ISA_DISASM_H

#include "fmhac_disasm.h"

/// Why fmhac_disasm_create() failed with `status`. A constant.
const char *isa_disasm_explain(fmhac_status status);

#endif // FMHAC_ISA_DISASM_H
