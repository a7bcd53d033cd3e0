// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that overlap sources: rows of overlaps.def, held against the operands
// of one instruction.
#include "overlap.h"

#include <stdio.h>
#include <string.h>

#include "wait_states.h"

static const isa_overlap_row k_rows[] = {
#define OVERLAP(begins, registers, source) {begins, registers, source},
#include "overlaps.def"
#undef OVERLAP
};

static const isa_overlap_row *row_of(const char *name) {
  for (unsigned i = 0; i < sizeof k_rows / sizeof *k_rows; i++)
    if (strncmp(name, k_rows[i].begins, strlen(k_rows[i].begins)) == 0)
      return &k_rows[i];
  return NULL;
}

// The addend of a matrix instruction, which its result may replace.
static bool is_addend(const char *name, unsigned source) {
  enum { ADDEND = 2 };
  return source == ADDEND && strncmp(name, "v_mfma_", 7) == 0;
}

isa_overlap isa_overlap_of(const isa_insn *in) {
  const char *name = isa_rows[in->row].mnemonic;
  const isa_overlap_row *row = row_of(name);
  const isa_operand *d = &in->dst[0];
  isa_overlap none = {NULL, 0, 0, 0};
  if (!row || !in->ndst || d->kind != ISA_OPERAND_VGPR ||
      d->regs <= row->registers)
    return none;
  for (unsigned i = 0; i < in->nsrc; i++) {
    const isa_operand *s = &in->src[i];
    unsigned d_end = d->index + d->regs, s_end = s->index + s->regs;
    if (s->kind != ISA_OPERAND_VGPR || s_end <= d->index || d_end <= s->index ||
        (is_addend(name, i) && s->index == d->index && s->regs == d->regs))
      continue;
    unsigned first = s->index > d->index ? s->index : d->index;
    unsigned end = s_end < d_end ? s_end : d_end;
    return (isa_overlap){row, (uint8_t)i, (uint16_t)first,
                         (uint16_t)(end - first)};
  }
  return none;
}

void isa_overlap_text(const isa_overlap *o, char *text, size_t bytes) {
  char name[32];
  isa_hazard_registers_text(name, sizeof name, o->first, o->count);
  snprintf(text, bytes,
           "overlapping operands: writes %s while it still reads %s as source "
           "%u; put the result elsewhere (%s)",
           name, o->count == 1 ? "it" : "them", o->operand, o->row->source);
}
