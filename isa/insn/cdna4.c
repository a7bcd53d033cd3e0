// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cdna4.h"

#include <stdio.h>
#include <string.h>

#define CDNA4(mn, encoding, forms) {#mn, ISA_CDNA4_##encoding, forms, NULL},
#define CDNA4_REFUSED(mn, encoding, forms, why)                                \
  {#mn, ISA_CDNA4_##encoding, forms, why},
const isa_cdna4_row isa_cdna4_rows[] = {
#include "cdna4.def"
};
#undef CDNA4
#undef CDNA4_REFUSED
const unsigned isa_cdna4_row_count =
    sizeof isa_cdna4_rows / sizeof *isa_cdna4_rows;

const char *const isa_cdna4_encoding_names[ISA_CDNA4_ENCODINGS] = {
    "SOP1", "SOP2",  "SOPC",  "SOPK", "SOPP",   "SMEM",
    "VOP1", "VOP2",  "VOPC",  "VOP3", "VOP3P",  "MAI",
    "DS",   "MUBUF", "MTBUF", "FLAT", "GLOBAL", "SCRATCH"};

static const struct {
  const char *suffix, *name;
  unsigned form;
} k_forms[] = {{"_e32", "e32", ISA_CDNA4_E32},
               {"_e64", "e64", ISA_CDNA4_E64},
               {"_sdwa", "sdwa", ISA_CDNA4_SDWA},
               {"_dpp", "dpp", ISA_CDNA4_DPP}};
enum { FORMS = sizeof k_forms / sizeof *k_forms };

int isa_cdna4_find(const char *mnemonic) {
  for (unsigned i = 0; i < isa_cdna4_row_count; i++)
    if (strcmp(isa_cdna4_rows[i].mnemonic, mnemonic) == 0)
      return (int)i;
  return -1;
}

unsigned isa_cdna4_strip(char *mnemonic) {
  size_t n = strlen(mnemonic);
  for (int i = 0; i < FORMS; i++) {
    size_t m = strlen(k_forms[i].suffix);
    if (n > m && strcmp(mnemonic + n - m, k_forms[i].suffix) == 0) {
      mnemonic[n - m] = 0;
      return k_forms[i].form;
    }
  }
  return 0;
}

void isa_cdna4_forms_text(unsigned forms, char *text, size_t text_bytes) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < FORMS; i++)
    if (forms & k_forms[i].form && used < text_bytes)
      used += (size_t)snprintf(text + used, text_bytes - used, "%s%s",
                               used ? " " : "", k_forms[i].name);
}
