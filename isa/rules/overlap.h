// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Instructions whose result overlaps a source that they still read
/// (overlaps.def). The dynamic check and the audit call the same function.
#ifndef FMHAC_ISA_OVERLAP_H
#define FMHAC_ISA_OVERLAP_H

#include <stddef.h>

#include "insn.h"

typedef struct isa_overlap_row {
  const char *begins;
  uint8_t registers; ///< the longest result that may overlap sources
  const char *source;
} isa_overlap_row;

/// An instruction that breaks a row of overlaps.def; `row` NULL: none.
typedef struct isa_overlap {
  const isa_overlap_row *row;
  uint8_t operand;       ///< the first source that overlaps
  uint16_t first, count; ///< registers in common, as in isa_operand
} isa_overlap;

isa_overlap isa_overlap_of(const isa_insn *insn);

/// "overlapping operands: …"
void isa_overlap_text(const isa_overlap *overlap, char *text, size_t bytes);

#endif // FMHAC_ISA_OVERLAP_H
