// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coverage of the instruction set by the emulator, and the instructions that a
// code object uses: cdna4.def joined with isa.def.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdna4.h"
#include "disasm.h"
#include "fmhac_audit.h"
#include "grow.h"
#include "need.h"
#include "object.h"
#include "program.h"
#include "sized_struct.h"

enum { EXAMPLE_BYTES = 160 };

typedef struct usage {
  int row; ///< of cdna4.def; -1: bytes that are no instruction
  uint64_t count, refused, pc;
  char example[EXAMPLE_BYTES], reason[EXAMPLE_BYTES];
} usage;

struct fmhac_emu_survey {
  usage *list;
  size_t count, capacity;
  bool memory;
};

static const isa_row *implemented(const char *mnemonic) {
  for (unsigned i = 0; i < isa_row_count; i++)
    if (strcmp(isa_rows[i].mnemonic, mnemonic) == 0)
      return &isa_rows[i];
  return NULL;
}

size_t fmhac_emu_instruction_count(void) { return isa_cdna4_row_count; }

fmhac_status fmhac_emu_get_instruction(size_t index,
                                       fmhac_emu_instruction *out) {
  if (index >= isa_cdna4_row_count)
    return FMHAC_INVALID_INPUT;
  const isa_cdna4_row *row = &isa_cdna4_rows[index];
  const isa_row *isa = implemented(row->mnemonic);
  fmhac_emu_instruction known = {.mnemonic = row->mnemonic,
                                 .encoding =
                                     isa_cdna4_encoding_names[row->encoding],
                                 .forms = row->forms,
                                 .source = isa            ? isa->source
                                           : row->refusal ? row->refusal
                                                          : ""};
  known.support = !isa ? row->refusal ? FMHAC_EMU_SUPPORT_NOT_APPLICABLE
                                      : FMHAC_EMU_SUPPORT_MISSING
                  : strcmp(isa->status, "doc") == 0
                      ? FMHAC_EMU_SUPPORT_DOCUMENTED
                      : FMHAC_EMU_SUPPORT_ASSUMED;
  return FMHAC_STRUCT_OUT(out, &known, fmhac_emu_instruction, source);
}

//===-- Survey of a code object -------------------------------------------===//

static usage *usage_of(fmhac_emu_survey *s, int row) {
  for (size_t i = 0; i < s->count; i++)
    if (s->list[i].row == row)
      return &s->list[i];
  if (!FMHAC_GROW(s->list, s->count, s->capacity)) {
    s->memory = true;
    return NULL;
  }
  usage *u = &s->list[s->count++];
  *u = (usage){.row = row};
  return u;
}

static void note(void *user, uint32_t pc, const isa_insn *insn,
                 const char *text, const char *why) {
  char name[ISA_TEXT_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " \t"), text);
  isa_cdna4_strip(name);
  usage *u = usage_of(user, isa_cdna4_find(name));
  if (!u)
    return;
  u->count++;
  u->refused += !insn;
  // The example is the first refused one in the code, else the first one.
  bool refused_before = u->reason[0];
  if (u->count == 1 || (!insn && !refused_before) ||
      (pc < u->pc && refused_before == !insn)) {
    u->pc = pc;
    snprintf(u->example, sizeof u->example, "%.*s", EXAMPLE_BYTES - 1, text);
    snprintf(u->reason, sizeof u->reason, "%.*s", EXAMPLE_BYTES - 1,
             insn ? "" : why);
  }
}

static int by_count(const void *a, const void *b) {
  const usage *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static fmhac_status survey_object(void *survey, const isa_object *o) {
  fmhac_emu_survey *s = survey;
  uint32_t *entries = malloc((o->kernel_count + 1) * sizeof *entries);
  size_t count = 0;
  if (!entries)
    return FMHAC_OUT_OF_MEMORY;
  for (size_t i = 0; i < o->kernel_count; i++)
    if (o->kernels[i].has_descriptor)
      entries[count++] = isa_kernel_first(o, &o->kernels[i]);
  fmhac_status status =
      isa_program_visit(o->bytes + o->text.offset, (uint32_t)o->text.bytes,
                        entries, count, note, s);
  free(entries);
  return s->memory ? FMHAC_OUT_OF_MEMORY : status;
}

fmhac_status fmhac_emu_survey_create(const void *code_object, size_t bytes,
                                     char *text, size_t text_bytes,
                                     fmhac_emu_survey **out) {
  char none[1];
  fmhac_status status = fmhac_begin_with_text(
      &text, &text_bytes, none, "surveying the code object", "out_survey", out,
      "code_object", code_object);
  if (status != FMHAC_OK)
    return status;
  fmhac_emu_survey *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(text, text_bytes, "surveying the code object: out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  status =
      isa_object_work(code_object, bytes, "surveying the code object",
                      survey_object, isa_disasm_explain, s, text, text_bytes);
  if (status != FMHAC_OK) {
    fmhac_emu_survey_destroy(s);
    return status;
  }
  qsort(s->list, s->count, sizeof *s->list, by_count);
  *out = s;
  return FMHAC_OK;
}

void fmhac_emu_survey_destroy(fmhac_emu_survey *s) {
  if (!s)
    return;
  free(s->list);
  free(s);
}

size_t fmhac_emu_survey_usage_count(const fmhac_emu_survey *s) {
  return s ? s->count : 0;
}

fmhac_status fmhac_emu_survey_get_usage(const fmhac_emu_survey *s, size_t index,
                                        fmhac_emu_usage *out) {
  if (!s || index >= s->count)
    return FMHAC_INVALID_INPUT;
  const usage *u = &s->list[index];
  fmhac_emu_instruction row = {.size = sizeof row,
                               .mnemonic = "",
                               .encoding = "",
                               .forms = "",
                               .support = FMHAC_EMU_SUPPORT_MISSING,
                               .source = ""};
  if (u->row >= 0) {
    fmhac_status status = fmhac_emu_get_instruction((size_t)u->row, &row);
    if (status != FMHAC_OK)
      return status;
  }
  fmhac_emu_usage known = {.mnemonic = row.mnemonic,
                           .encoding = row.encoding,
                           .forms = row.forms,
                           .source = row.source,
                           .support = row.support,
                           .count = u->count,
                           .refused = u->refused,
                           .pc = u->pc,
                           .example = u->example,
                           .reason = u->reason};
  return FMHAC_STRUCT_OUT(out, &known, fmhac_emu_usage, reason);
}
